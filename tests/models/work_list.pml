/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A member's work list, runtime/team/work_list.cpp: its owner publishes jobs and retires them while helpers claim
 * chunks, some of them late. Every chunk runs once, as part of the job that was claimed; the owner fills a slot only
 * when nobody reads it. Helpers look only where there is something to claim, so that a chunk that nobody runs is a deadlock.
 *
 * The bit of each chunk is a word of its own here, so that words are published one after the other. Which chunk a
 * member wants first is left open, and so is how long ago it has looked whether there is one.
 *
 * Mutation 1: retire() looks whether all chunks are claimed, not whether they are done. Found: assertion violated (ran[
 * Mutation 2: done is counted before the chunk has run. Found: assertion violated (ran[
 * Mutation 3: a claim is a load and a store. Found: invalid end state
 * Mutation 4: publish() stores unclaimed before the job. Found: invalid end state
 * Mutation 5: publish() forgets a word of unclaimed. Found: invalid end state
 */

#define SLOTS 2
#define HELPERS 2
#define JOBS 3
#define MOST_CHUNKS 2

typedef Slot {
  bool unclaimed[MOST_CHUNKS];
  byte done;
  byte chunks;
  byte job;     /* the job's number stands for all of slot.job and slot.operation */
  bool written; /* the owner is in the middle of writing it */
  byte readers  /* … and so many threads of reading it */
}

Slot slot[SLOTS];
bool taken[SLOTS];               /* taken_ */
byte ran[JOBS * MOST_CHUNKS];    /* how often each chunk has run */
bool over = false;
#define any_unclaimed (slot[0].unclaimed[0] || slot[0].unclaimed[1] || slot[1].unclaimed[0] || slot[1].unclaimed[1])

/* WorkList::claim_and_run, of one of the two chunks */
inline claim_and_run(i, chunk) {
  if
  :: slot[i].unclaimed[chunk] -> /* unclaimed.load */
#if MUTATION == 3
    claimed = slot[i].unclaimed[chunk];
    slot[i].unclaimed[chunk] = false
#else
    d_step { claimed = slot[i].unclaimed[chunk]; slot[i].unclaimed[chunk] = false } /* fetch_and */
#endif
  :: else
  fi;
  if
  :: claimed ->
#if MUTATION == 2
    slot[i].done++;
#endif
    d_step { assert(!slot[i].written); slot[i].readers++ } /* job.run */
    d_step { ran[slot[i].job * MOST_CHUNKS + chunk]++; slot[i].readers-- }
#if MUTATION != 2
    slot[i].done++
#endif
  :: else
  fi
}

inline show_chunks(index, size) {
  slot[index].unclaimed[0] = true;
#if MUTATION != 5
  if
  :: size == 2 -> slot[index].unclaimed[1] = true
  :: else
  fi
#endif
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
#if MUTATION == 4
  show_chunks(index, size);
#endif
  d_step { assert(slot[index].readers == 0); slot[index].written = true }
  d_step { slot[index].job = number; slot[index].chunks = size; slot[index].written = false }
  slot[index].done = 0;
#if MUTATION != 4
  show_chunks(index, size);
#endif
  taken[index] = true
}

/* WorkList::retire, of a ticket */
#if MUTATION == 1
#define is_done(i) (!slot[i].unclaimed[0] && !slot[i].unclaimed[1])
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
  claim_and_run(i, 0);
  if
  :: claimed
  :: else -> claim_and_run(i, 1)
  fi;
  if
  :: claimed
  :: else -> is_done(i); retire(i); assert(retired)
  fi;
  claimed = false; retired = false
}

active proctype owner() {
  byte index, published, job, j;
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

/* Member::help, by WorkList::help: of a slot that it has seen taken, some time ago */
active [HELPERS] proctype helper() {
  bool claimed, seen[SLOTS];
  do
  :: over -> break
  :: any_unclaimed ->
    d_step { seen[0] = taken[0]; seen[1] = taken[1] } /* taken_.load */
    if
    :: seen[0] -> claim_and_run(0, 0)
    :: seen[0] -> claim_and_run(0, 1)
    :: seen[1] -> claim_and_run(1, 0)
    :: seen[1] -> claim_and_run(1, 1)
    :: !seen[0] && !seen[1]
    fi;
    atomic { claimed = false; seen[0] = false; seen[1] = false }
  od
}
