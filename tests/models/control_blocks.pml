/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of control blocks, runtime/shm/control.hpp, in operations of every kind of runtime/collective/shared_operation.hpp, one after
 * the other and in any order; then the ranks get another communicator, with the same control blocks. A rank reads what belongs to its operation,
 * and what it reads has been written and is not written meanwhile. All else is in contributions.pml and flags.pml, as what ranks do
 * whose number is greater, and who wakes whom. Whatever one of two ranks is to see, it learns from the other itself; so there are two.
 *
 * The agreement on the next communicator, by MPI, passes on nothing but its outcome here.
 *
 * Mutation 1: contribute() stores the contribution without release. Found: assertion violated ((known
 * Mutation 2: shows() loads it without acquire. Found: assertion violated ((known
 * Mutation 3: CommControl::finish() stores finished without release. Found: assertion violated ((known
 * Mutation 4: CommControl::look_for() loads it without acquire. Found: assertion violated ((known
 * Mutation 5: finish(peers) loads it without acquire. Found: assertion violated ((known
 * Mutation 6: Idle::is_free() loads it without acquire. Found: assertion violated ((known
 * Mutation 7: show_silently() stores the flag without release. Found: assertion violated ((known
 * Mutation 8: step() loads it without acquire. Found: assertion violated ((known
 * Mutation 9: Lane::words_settled() loads it without acquire. Found: assertion violated ((known
 * Mutation 10: contribute() waits for one operation less. Found: assertion violated ((known
 * Mutation 11: a large contribution, in a payload, remains as long as a small one. Found: assertion violated ((known
 */

#define OPERATIONS 3
#define CONTRIBUTIONS 2
#define PAYLOADS 1
#define FIRST CONTRIBUTIONS /* there are as many numbers before that of the first operation */
#define THREADS 2   /* the ranks */

/* Of each rank: finished, its flag, and its contributions */
#define FINISHED(rank) (rank)
#define FLAG(rank) (2 + (rank))
#define CONTRIBUTION(rank) (4 + (rank) * CONTRIBUTIONS + number % CONTRIBUTIONS)
#define PLACES 8
#define MESSAGES 3

/* … and what goes with a contribution, its payload, and its note */
#define LITTLE(rank) ((rank) * CONTRIBUTIONS + number % CONTRIBUTIONS)
#define PAYLOAD(rank) (4 + (rank))
#define NOTE(rank) (6 + (rank))
#define DATA 8
#include "memory/views.pml"

byte content[DATA]; /* the number of the operation that it is of */
#define other (1 - self)

/* What each operation is, which both ranks know. */
mtype = { unknown, from_all, from_root, to_root, in_rounds, in_pairs, in_chain };
mtype kind[FIRST + OPERATIONS];
bool is_large[FIRST + OPERATIONS];
#define root (number % 2)

inline put(datum) {
  atomic { write(self, datum); content[datum] = number }
}
inline take(datum) {
  atomic { read(self, datum); assert(content[datum] == number) }
}

/* Waits until a word is as great as `least`. */
inline await(p, how, least) {
  do
  :: newest(p) >= least -> /* or it is in vain */
    load(self, p, how, word);
    if
    :: word >= least -> word = 0; break
    :: else
    fi
  od
}

/* CommControl::all_finished */
inline await_all_finished(n) {
  if
  :: all_finished >= n
  :: else -> await(FINISHED(other), order(4, acquire), n); all_finished = n
  fi
}

/* CommControl::finish */
inline say_finished() {
  store(self, FINISHED(self), number, order(3, release))
}

/* CommControl::remain */
#if MUTATION == 10
#define remain ((is_large[number] -> PAYLOADS : CONTRIBUTIONS) + 1)
#elif MUTATION == 11
#define remain CONTRIBUTIONS
#else
#define remain (is_large[number] -> PAYLOADS : CONTRIBUTIONS)
#endif

/* SharedOperation::contribute */
inline contribute() {
  await_all_finished(number - remain);
  if
  :: is_large[number] -> put(PAYLOAD(self))
  :: else
  fi;
  put(LITTLE(self));
  store(self, CONTRIBUTION(self), number, order(1, release))
}

/* SharedOperation::see, and what the rank then reads */
inline see() {
  await(CONTRIBUTION(other), order(2, acquire), number);
  take(LITTLE(other));
  if
  :: is_large[number] -> take(PAYLOAD(other))
  :: else
  fi
}

/* SharedOperation::show_silently */
inline show_mark() {
  store(self, FLAG(self), number, order(7, release))
}

inline rounds() {
  put(NOTE(self));
  show_mark();
  await(FLAG(other), order(9, acquire), number); /* by a lane */
  take(NOTE(other));
  say_finished();
  await_all_finished(number)
}

inline pairs() {
  await_all_finished(number - PAYLOADS); /* payload() */
  put(PAYLOAD(self));
  put(NOTE(self));
  show_mark();
  await(FLAG(other), order(8, acquire), number);
  take(NOTE(other));
  take(PAYLOAD(other));
  say_finished();
  await(FINISHED(other), order(5, acquire), number) /* finish(peers) */
}

inline chain() {
  if
  :: self == 0 ->
    put(NOTE(self));
    show_mark();
    await(FLAG(other), order(8, acquire), number)
  :: else ->
    await(FLAG(other), order(8, acquire), number);
    take(NOTE(other));
    show_mark()
  fi;
  say_finished() /* leave() */
}

inline operation() {
  atomic {
    if
    :: kind[number] == unknown ->
      if
      :: kind[number] = from_all
      :: kind[number] = from_root
      :: kind[number] = to_root
      :: kind[number] = in_rounds
      :: kind[number] = in_pairs
      :: kind[number] = in_chain
      fi;
      if
      :: kind[number] == from_all || kind[number] == from_root || kind[number] == to_root -> is_large[number] = true
      :: true
      fi
    :: else
    fi
  }
  if
  :: kind[number] == from_all -> contribute(); see(); all_finished = number - 1 /* see_all() */; say_finished()
  :: kind[number] == from_root && self == root -> contribute(); say_finished()
  :: kind[number] == from_root && self != root -> see(); say_finished()
  :: kind[number] == to_root && self == root -> contribute(); see(); say_finished()
  :: kind[number] == to_root && self != root -> contribute(); say_finished()
  :: kind[number] == in_rounds -> rounds()
  :: kind[number] == in_pairs -> pairs()
  :: kind[number] == in_chain -> chain()
  fi;
  number++
}

/* ControlPool::lease and CommControl::open: how many have come, which is what the agreement shows them, and whether all have a control block. */
byte come;
bool all_have_one = true;
byte next_from; /* the first operation on the second communicator, if there is one */

proctype rank(byte self) {
  byte number = FIRST, all_finished = FIRST - 1, word;
  do
  :: number < FIRST + OPERATIONS && (number != next_from || come == 2) -> operation()
  :: number == next_from && come != 2 ->
    load(self, FINISHED(other), order(6, acquire), word); /* Idle::is_free, of the only control block */
    atomic { all_have_one = all_have_one && word >= number - 1; word = 0; come++ }
    come == 2;
    if
    :: all_have_one -> all_finished = number - 1
    :: else -> break
    fi
  :: number == FIRST + OPERATIONS -> break
  od
}

init {
  atomic {
    begin_memory();
    for (i : 0 .. FIRST + OPERATIONS - 1) { kind[i] = unknown }
    for (i : 0 .. 1) { place[FINISHED(i)].value[0] = FIRST - 1 }
    if
    :: next_from = FIRST + OPERATIONS - 1
    :: true
    fi;
    run rank(0); run rank(1)
  }
}
