/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations of several steps, runtime/collective/shared_operation.cpp, one after the other and of every kind of end:
 * what a rank says beside its flag, its note, is of the operation of who reads it, and so is its payload, one of two in
 * turn; nobody waits for ever, though only those are woken that may wait.
 *
 * The bell is that of bell.pml where there is no membarrier(2): who looks once more after it has announced itself
 * does not sleep if it was rung since.
 *
 * Mutation 1: leave() has no fence. Found: invalid end state
 * Mutation 2: a rank does not wait for its peers before it writes the next note. Found: assertion violated
 * Mutation 3: payload() does not wait until all have finished the operation before the last. Found: assertion violated
 * Mutation 4: who waits takes a flag of a later operation for none. Found: invalid end state
 */

#define RANKS 3
#define OPERATIONS 3
#define FIRST 2 /* there are as many numbers before that of the first operation as there are payloads */
#define THREADS RANKS

/* What is in memory, for each rank: the operation that it has finished, and its flag, number * 2 + step */
#define FINISHED(rank) (rank)
#define FLAG(rank) (RANKS + (rank))
#define PLACES 6

#define none_waits(thread) \
  (!stores[thread].waits[0] && !stores[thread].waits[1] && !stores[thread].waits[2] && !stores[thread].waits[3] && \
   !stores[thread].waits[4] && !stores[thread].waits[5])
#include "memory/store_buffers.pml"

byte note[RANKS];          /* of which operation it is */
byte payload[RANKS * 2];   /* … and each payload */
bool asleep[RANKS];        /* each rank's bell: asleep_ */

/* How an operation ends, and what it has, which all ranks know. */
mtype = { unknown, in_rounds, in_pairs, in_chain, flat };
mtype kind[FIRST + OPERATIONS];

#define value(step) (number * 2 + (step))
#if MUTATION == 4
#define has_come(rank, step) (load(self, FLAG(rank)) == value(step))
#else
#define has_come(rank, step) (load(self, FLAG(rank)) >= value(step))
#endif
#define has_finished(rank, n) (load(self, FINISHED(rank)) >= (n))
#define all_have_finished(n) (has_finished(0, n) && has_finished(1, n) && has_finished(2, n))

#define await(condition) \
  do \
  :: (condition) -> break \
  :: else -> \
    atomic { fence(self) -> asleep[self] = true } /* Bell::announce */ \
    if \
    :: (condition) -> break \
    :: else -> !asleep[self] \
    fi \
  od

/* wake_all(), in one step: who announces himself meanwhile looks after that, and sees what has happened before. */
inline wake_all() {
  atomic { fence(self) -> asleep[0] = false; asleep[1] = false; asleep[2] = false }
}

/* The note, or the payload, is written before the flag shows it: what the release of a flag passes on is in memory at
 * once. */
inline show_step(step) {
  store_release(self, FLAG(self), value(step));
  wake_all()
}

/* Collective operations in rounds: Slots */
inline rounds() {
  note[self] = number;
  show_step(1);
  await(has_come(0, 1) && has_come(1, 1) && has_come(2, 1)); /* await_all() */
  assert(note[0] == number && note[1] == number && note[2] == number);
  /* finish() */
  store_release(self, FINISHED(self), number);
  wake_all();
  await(all_have_finished(number))
}

/* Ranks 0 and 1 have something for each other, rank 2 nothing: Copies */
inline pairs() {
#if MUTATION != 3
  await(all_have_finished(number - 2)); /* payload() */
#endif
  payload[self * 2 + number % 2] = number;
  note[self] = number;
  show_step(1);
  if
  :: self < 2 ->
    await(has_come(1 - self, 1));
    assert(note[1 - self] == number && payload[(1 - self) * 2 + number % 2] == number)
  :: else ->
    await(has_come(0, 1));
    assert(payload[number % 2] == number) /* payloads remain until all have finished */
  fi;
  /* finish(peers) */
  store_release(self, FINISHED(self), number);
  wake_all();
#if MUTATION != 2
  if
  :: self < 2 -> await(has_finished(1 - self, number))
  :: else
  fi
#endif
}

/* Each rank goes on from what the one before it has, which then is through with it: Chain */
inline chain() {
  if
  :: self > 0 -> await(has_come(self - 1, 1)); assert(note[self - 1] == number)
  :: else
  fi;
  note[self] = number;
  show_step(1);
  if
  :: self < 2 -> await(has_come(self + 1, 1))
  :: else
  fi;
  /* leave() */
  store_release(self, FINISHED(self), number);
#if MUTATION != 1
  fence(self);
#endif
  if
  :: all_have_finished(number) -> wake_all()
  :: else
  fi
}

/* A flat operation between, of contributions.pml: rank 0 has something large for the others, and does not wait for them. */
inline wake_who_is_ahead() {
  atomic {
    fence(self) ->
    asleep[0] = asleep[0] && memory[FINISHED(0)] <= number;
    asleep[1] = asleep[1] && memory[FINISHED(1)] <= number;
    asleep[2] = asleep[2] && memory[FINISHED(2)] <= number
  }
}
inline bcast() {
  if
  :: self == 0 ->
    await(all_have_finished(number - 2));
    payload[number % 2] = number;
    show_step(1)
  :: else ->
    await(has_come(0, 1));
    assert(payload[number % 2] == number)
  fi;
  store_release(self, FINISHED(self), number);
  wake_who_is_ahead()
}

proctype rank(byte self) {
  byte number = FIRST;
  do
  :: number < FIRST + OPERATIONS ->
    atomic {
      if
      :: kind[number] == unknown ->
        if
        :: kind[number] = in_rounds
        :: kind[number] = in_pairs
        :: kind[number] = in_chain
        :: kind[number] = flat
        fi
      :: else
      fi
    }
    if
    :: kind[number] == in_rounds -> rounds()
    :: kind[number] == in_pairs -> pairs()
    :: kind[number] == in_chain -> chain()
    :: kind[number] == flat -> bcast()
    fi;
    number++
  :: else -> break
  od
}

init {
  atomic {
    byte i;
    for (i : 0 .. FIRST + OPERATIONS - 1) { kind[i] = unknown }
    for (i : 0 .. RANKS - 1) { memory[FINISHED(i)] = FIRST - 1 }
    run buffer(0); run buffer(1); run buffer(2);
    run rank(0); run rank(1); run rank(2)
  }
}
