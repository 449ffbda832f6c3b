/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One slot of a work list, runtime/team/work_list.cpp, in memory that comes out of order, as Arm's processors have it: who
 * claims a chunk reads the job that was published with it, and the owner, who retires the job, reads what the chunks have
 * written. All else is in work_list.pml, whose memory is in order. Accesses to taken_ are left out: they order nothing that
 * this relies on.
 *
 * Mutation 1: publish() stores unclaimed without release. Found: assertion violated (job
 * Mutation 2: a claim does not acquire, so that the job may have been read before. Found: assertion violated (job
 * Mutation 3: done is counted without release. Found: assertion violated ((result
 * Mutation 4: retire() does not acquire, so that what chunks have written may have been read before. Found: assertion violated ((result
 */

#define OWNER 2
#define THREADS 3
#define JOBS 3
#define NONE 255

/* What is in memory: slot.job, by its number; done; unclaimed, a bit for each chunk; what the two chunks of a job write */
#define JOB 0
#define DONE 1
#define UNCLAIMED 2
#define RESULT(chunk) (3 + (chunk))
#define PLACES 6

#define none_waits(thread) \
  (!stores[thread].waits[0] && !stores[thread].waits[1] && !stores[thread].waits[2] && !stores[thread].waits[3] && \
   !stores[thread].waits[4] && !stores[thread].waits[5])
#include "memory/store_buffers.pml"

#define chunks_of(size) ((1 << (size)) - 1)

byte published; /* the number of the job that was published last */
bool over;

/* A read-modify-write without release waits for nothing but the thread's own stores to the same place. */
#define own_store_waits(place) stores[self].waits[place]

/* WorkList::claim_and_run */
inline claim_and_run() {
#if MUTATION == 2
  job = load(self, JOB);
#endif
  if
  :: (load(self, UNCLAIMED) & 1) != 0 -> chunk = 0 /* which of them, is left open */
  :: (load(self, UNCLAIMED) & 2) != 0 -> chunk = 1
  :: else -> chunk = NONE
  fi;
  if
  :: chunk != NONE ->
    atomic { /* fetch_and, with acquire */
      !own_store_waits(UNCLAIMED) ->
      claimed = (memory[UNCLAIMED] & (1 << chunk)) != 0;
      memory[UNCLAIMED] = memory[UNCLAIMED] & (3 - (1 << chunk))
    }
  :: else
  fi;
  if
  :: claimed ->
#if MUTATION != 2
    job = load(self, JOB);
#endif
    assert(job == published);
    store_relaxed(self, RESULT(chunk), job);
    atomic { /* done.fetch_add */
#if MUTATION == 3
      !own_store_waits(DONE) -> memory[DONE]++;
#else
      fence(self) -> memory[DONE]++;
#endif
      claimed = false
    }
  :: else
  fi;
  d_step { chunk = 0; job = 0 }
}

/* WorkList::publish, where the slot is free */
inline publish(number, size) {
  d_step { published = number; store_relaxed(self, JOB, number) }
  store_relaxed(self, DONE, 0);
#if MUTATION == 1
  store_relaxed(self, UNCLAIMED, chunks_of(size))
#else
  store_release(self, UNCLAIMED, chunks_of(size))
#endif
}

/* WorkList::retire, and what the owner then reads */
inline retire(number, size) {
#if MUTATION == 4
  result[0] = load(self, RESULT(0)); result[1] = load(self, RESULT(1));
#endif
  if
  :: load(self, DONE) == size ->
#if MUTATION != 4
    result[0] = load(self, RESULT(0)); result[1] = load(self, RESULT(1));
#endif
    assert(result[0] == number && (size == 1 || result[1] == number));
    retired = true
  :: else
  fi;
  d_step { result[0] = 0; result[1] = 0 }
}

proctype owner(byte self) {
  byte number, size, chunk, job, result[2];
  bool claimed, retired;
  do
  :: number == JOBS -> break
  :: else ->
    number++;
    if
    :: size = 1
    :: size = 2
    fi;
    publish(number, size);
    do
    :: !retired -> claim_and_run(); retire(number, size)
    :: retired -> retired = false; break
    od
  od;
  over = true
}

proctype helper(byte self) {
  byte chunk, job;
  bool claimed;
  do
  :: over -> break
  :: else -> claim_and_run()
  od
}

init {
  atomic {
    run buffer(0); run buffer(1); run buffer(2);
    run helper(0); run helper(1); run owner(OWNER)
  }
}
