/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A member's work list, runtime/team/work_list.cpp: its owner publishes jobs and retires them while helpers claim
 * chunks, some of them late. Every chunk runs once, as part of the job that was claimed; the owner fills a slot only
 * when nobody reads it; and a slot with something to claim has its bit in open_.
 *
 * The epoch is of so few values here that it comes round: a claim may be as late as it likes, and right nevertheless.
 *
 * Mutation 1: retire() looks whether all chunks are claimed, not whether they are done. Found: assertion violated (ran[
 * Mutation 2: done is counted before the chunk has run. Found: assertion violated (ran[
 * Mutation 3: the last to claim clears the bit of open_ after it has counted in done. Found: assertion violated open[
 * Mutation 4: publish() stores claims before the job. Found: assertion violated (ran[
 */

#define SLOTS 2
#define HELPERS 2
#define JOBS 3
#define MOST_CHUNKS 2
#define EPOCHS 2
#define NONE 255

typedef Claims { /* one word: always read and written in one step */
  byte epoch;
  byte first;
  byte end
}
typedef Slot {
  Claims claims;
  byte done;
  byte chunks;
  byte job;     /* the job's number stands for all of slot.job and slot.operation */
  bool written; /* the owner is in the middle of writing it */
  byte readers  /* … and so many threads of reading it */
}

Slot slot[SLOTS];
bool open[SLOTS];                /* open_ */
bool taken[SLOTS];               /* taken_ */
byte ran[JOBS * MOST_CHUNKS];    /* how often each chunk has run */
bool over = false;

/* open_.fetch_and, by who has made the last claim */
inline close(i) {
  if
  :: first + 1 == end -> d_step { assert(slot[i].claims.first == slot[i].claims.end); open[i] = false }
  :: else
  fi
}

/* WorkList::claim_and_run; by the owner or another */
inline claim_and_run(i, is_owner) {
  d_step { epoch = slot[i].claims.epoch; first = slot[i].claims.first; end = slot[i].claims.end } /* claims.load */
  do
  :: first == end -> claimed = false; break
  :: else ->
    atomic { /* compare_exchange_weak */
      if
      :: slot[i].claims.epoch == epoch && slot[i].claims.first == first && slot[i].claims.end == end ->
        if
        :: is_owner -> slot[i].claims.first = first + 1
        :: else -> slot[i].claims.end = end - 1
        fi;
        claimed = true
      :: else ->
        epoch = slot[i].claims.epoch; first = slot[i].claims.first; end = slot[i].claims.end; claimed = false
      fi
    }
    if
    :: claimed -> break
    :: else
    fi
  od;
  if
  :: claimed ->
#if MUTATION != 3
    close(i);
#endif
#if MUTATION == 2
    slot[i].done++;
#endif
    d_step { assert(!slot[i].written); slot[i].readers++ } /* job.run */
    d_step { ran[slot[i].job * MOST_CHUNKS + (is_owner -> first : end - 1)]++; slot[i].readers-- }
#if MUTATION != 2
    slot[i].done++;
#endif
#if MUTATION == 3
    close(i);
#endif
  :: else
  fi;
  atomic { epoch = 0; first = 0; end = 0 }
}

/* WorkList::publish */
inline publish(number, size) {
  d_step {
    index = 0;
    do
    :: index < SLOTS && taken[index] -> index++
    :: else -> break
    od
  }
  if
  :: index == SLOTS -> index = NONE /* the owner runs the job on the spot */
  :: else ->
#if MUTATION == 4
    open[index] = true;
    d_step {
      slot[index].claims.epoch = (slot[index].claims.epoch + 1) % EPOCHS;
      slot[index].claims.first = 0;
      slot[index].claims.end = size
    }
#endif
    d_step { assert(slot[index].readers == 0); slot[index].written = true }
    d_step { slot[index].job = number; slot[index].chunks = size; slot[index].written = false }
    slot[index].done = 0;
    taken[index] = true;
#if MUTATION != 4
    open[index] = true;
    d_step {
      slot[index].claims.epoch = (slot[index].claims.epoch + 1) % EPOCHS;
      slot[index].claims.first = 0;
      slot[index].claims.end = size;
      assert(open[index])
    }
#endif
  fi
}

/* WorkList::retire, of a ticket */
#if MUTATION == 1
#define is_done(i) (slot[i].claims.first == slot[i].claims.end)
#else
#define is_done(i) (slot[i].done == slot[i].chunks)
#endif
inline retire(i) {
  if
  :: d_step { is_done(i) -> job = slot[i].job; retired = true }
  :: else -> retired = false
  fi;
  if
  :: retired ->
    d_step {
      j = 0;
      do
      :: j < slot[i].chunks -> assert(ran[job * MOST_CHUNKS + j] == 1); j++
      :: else -> break
      od;
      j = 0; job = 0; taken[i] = false
    }
  :: else
  fi
}

/* Member::finish, of which the owner does one round */
inline retire_or_work(i) {
  claim_and_run(i, true);
  if
  :: claimed
  :: else -> is_done(i); retire(i); assert(retired)
  fi;
  claimed = false; retired = false
}

active proctype owner() {
  byte epoch, first, end, index, published, job, j;
  bool claimed, retired;
  do
  :: published < JOBS && (!taken[0] || !taken[1]) -> /* as a pipeline: several in flight */
    if
    :: publish(published, 1)
    :: publish(published, 2)
    fi;
    index = 0;
    published++
  :: taken[0] -> retire_or_work(0)
  :: taken[1] -> retire_or_work(1)
  :: published == JOBS && !taken[0] && !taken[1] -> break
  od;
  over = true
}

/* Member::help, by WorkList::help */
active [HELPERS] proctype helper() {
  byte epoch, first, end, i;
  bool claimed, seen[SLOTS];
  do
  :: over -> break
  :: else ->
    d_step { seen[0] = open[0]; seen[1] = open[1] } /* open_.load */
    i = 0;
    do
    :: i == SLOTS || claimed -> break
    :: else ->
      if
      :: seen[i] -> claim_and_run(i, false)
      :: else
      fi;
      i++
    od;
    atomic { claimed = false; seen[0] = false; seen[1] = false; i = 0 }
  od
}
