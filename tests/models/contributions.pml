/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Contributions of SharedOperation, runtime/collective/shared_operation.hpp, in control blocks, runtime/shm/control.cpp.
 * Each rank shows its contributions in its places for them, used cyclically. A large one is in one of its payloads. It reads
 * those of the others. Then some of the ranks get another communicator, with the same control blocks. Operations are of any
 * kind, in any order. A rank reads what belongs to its operation, of the rank that it reads from, and that is not overwritten
 * until it is through. Who sleeps is woken, though only those are who wait for what has
 * happened. There is one place less than in a control block, so that places are used again in fewer operations, and only what goes to
 * a root may be large, so that the states fit into memory.
 *
 * The bell is what bell.pml shows it to be: who looks once more after it has announced itself does not sleep if it
 * was rung since.
 *
 * Mutation 1: show() waits for one operation less. Found: assertion violated
 * Mutation 2: see_all() notes that all have finished this operation. Found: assertion violated
 * Mutation 3: finish() wakes nobody. Found: invalid end state
 * Mutation 4: a control block is leased again though others may still read there. Found: assertion violated
 * Mutation 5: the next communicator numbers its operations from the beginning on. Found: assertion violated
 * Mutation 6: see_all() wakes nobody. Found: invalid end state
 * Mutation 7: what is large may be written as soon as what is small. Found: assertion violated
 */

#define RANKS 3
#define OPERATIONS 4 /* on the first communicator, of all ranks */
#define LATER 1      /* on the second, of the ranks but the last */
#define CONTRIBUTIONS 3
#define PAYLOADS 2
#define FIRST CONTRIBUTIONS  /* there are as many numbers before that of the first operation */

/* The ranks' control blocks. */
typedef ControlBlock {
  byte finished;
  byte contributions[CONTRIBUTIONS]; /* the number of the operation, which also stands for the contribution */
  byte payloads[PAYLOADS] /* of which operation the contribution is */
}
ControlBlock block[RANKS];
bool asleep[RANKS]; /* each rank's bell: asleep_ */

/* What each operation is, which all ranks know. */
mtype = { unknown, from_all, from_root, to_root };
mtype kind[FIRST + OPERATIONS + LATER];
bool is_large[FIRST + OPERATIONS + LATER];
#define root (number % ranks)

#define contribution_of(rank) block[rank].contributions[number % CONTRIBUTIONS]
#define payload_of(rank) block[rank].payloads[number % PAYLOADS]
#define shows(rank) (contribution_of(rank) == number)
#define all_have_finished(n) \
  (block[0].finished >= (n) && block[1].finished >= (n) && (ranks == 2 || block[2].finished >= (n)))
#define all_show (shows(0) && shows(1) && (ranks == 2 || shows(2)))
#define is_there(rank) (shows(rank) && (!is_large[number] || payload_of(rank) == number))
#define all_are_there (is_there(0) && is_there(1) && (ranks == 2 || is_there(2)))

/* SharedOperation::await_contribution */
inline await(condition) {
  do
  :: condition -> break
  :: else ->
    asleep[self] = true; /* Bell::announce */
    if
    :: condition -> break
    :: else -> !asleep[self]
    fi
  od
}

/* SharedOperation::wake_if, in one step: who announces himself meanwhile looks after that, and sees what has happened before. */
#define wake_one(other, concerns) \
  if \
  :: other != self && other < ranks && asleep[other] && (concerns(other)) -> asleep[other] = false \
  :: else \
  fi
#define wake(concerns) \
  d_step { \
    wake_one(0, concerns); \
    wake_one(1, concerns); \
    wake_one(2, concerns) \
  }
#define is_behind(other) block[other].finished < number
#define is_ahead(other) block[other].finished > number

/* CommControl::remain */
#if MUTATION == 7
#define remain CONTRIBUTIONS
#else
#define remain (is_large[number] -> PAYLOADS : CONTRIBUTIONS)
#endif

/* SharedOperation::contribute */
inline show_own() {
#if MUTATION == 1
  await(all_finished >= number - remain || all_have_finished(number - remain - 1));
#else
  await(all_finished >= number - remain || all_have_finished(number - remain));
#endif
  atomic { /* who reads looks at the contribution first */
    if
    :: is_large[number] -> payload_of(self) = number
    :: else
    fi;
    contribution_of(self) = number
  }
}
inline tell_others() {
  wake(is_behind)
}

/* SharedOperation::see, of one rank */
inline see(rank) {
  await(shows(rank))
}

/* SharedOperation::see_all */
inline see_all() {
  await(all_show);
#if MUTATION == 2
  all_finished = number;
#else
  all_finished = number - 1;
#endif
#if MUTATION != 6
  tell_others()
#endif
}

/* SharedOperation::end_of_contributions; the rank has read until then */
inline finish() {
  d_step {
    assert(all_are_there || kind[number] == from_root || (kind[number] == to_root && self != root));
    assert(is_there(root) || kind[number] != from_root);
    block[self].finished = number
  }
#if MUTATION != 3
  wake(is_ahead)
#endif
}

inline operation() {
  atomic {
    if
    :: kind[number] == unknown ->
      if
      :: kind[number] = from_all  /* MPI_Barrier, MPI_Allreduce, … */
      :: kind[number] = from_root /* MPI_Bcast */
      :: kind[number] = to_root   /* MPI_Reduce, … */
      fi;
      if
      :: kind[number] == to_root -> is_large[number] = true /* ranks run ahead of the root */
      :: is_large[number] = false
      fi
    :: else
    fi
  }
  if
  :: kind[number] == from_all -> show_own(); see_all()
  :: kind[number] == from_root && self == root -> show_own(); tell_others()
  :: kind[number] == from_root && self != root -> see(root)
  :: kind[number] == to_root ->
    show_own();
    tell_others();
    if
    :: self == root -> await(all_show)
    :: else
    fi
  fi;
  finish()
}

/* ControlPool::lease and CommControl::open: how many have come, which is what the agreement shows them, and whether all have a control block. */
byte come;
bool all_have_one = true;

proctype rank(byte self) {
  byte number = FIRST, all_finished = FIRST - 1, ranks = RANKS;
  do
  :: number < FIRST + OPERATIONS -> operation(); number++
  :: else -> break
  od;
  if
  :: self < RANKS - 1 -> /* the communicator is freed; Idle::is_free of the only control block */
#if MUTATION != 4
    all_have_one = all_have_one && all_have_finished(number - 1);
#endif
    ranks = RANKS - 1;
    come++;
    come == ranks;
    if
    :: all_have_one ->
#if MUTATION == 5
      number = FIRST;
#endif
      atomic { all_finished = number - 1; block[self].finished = number - 1 }
      do
      :: number < FIRST + OPERATIONS + LATER -> operation(); number++
      :: else -> break
      od
    :: else
    fi
  :: else
  fi
}

init {
  atomic {
    byte i;
    for (i : 0 .. FIRST + OPERATIONS + LATER - 1) { kind[i] = unknown }
    for (i : 0 .. RANKS - 1) { block[i].finished = FIRST - 1 }
    run rank(0); run rank(1); run rank(2)
  }
}
