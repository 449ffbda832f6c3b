/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that fail in a carried operation, give_up(), check_peers() and sweep() of runtime/transport/failure.cpp,
 * abandon() of message.cpp: a ring, in which every rank sends to the next, and a broadcast, in any order, of which
 * one or two ranks fail at any point. No rank waits for ever, neither in an operation nor for the messages of one
 * that it gives up; and an operation fails at a rank only if some rank has given up this one or an earlier one.
 *
 * The words of a rank, which its threads share, are relaxed, as nothing is read on account of them: a thread that does not see one yet is as
 * one to which the message has not come, which may take any time here. So there is no order to weaken.
 *
 * Messages complete no earlier than they are received, as the large ones of MPI may; who sends them waits for that.
 *
 * Mutation 1: gave_up() is true of the operation under way alone. Found: invalid end state
 * Mutation 2: gave_up() is true whichever operation has been given up. Found: assertion violated
 * Mutation 3: abandon() does not look who else has given up. Found: invalid end state
 * Mutation 4: check_peers() is called by who receives, not by who waits to be received. Found: invalid end state
 * Mutation 5: who learns that a rank has given up does not tell that it gives up as well. Found: invalid end state
 */

#define RANKS 3
#define OPERATIONS 3
#define FAILURES 2
#define NONE 255

/* MPI: messages[from * RANKS + to], each the number of an operation */
chan messages[RANKS * RANKS] = [OPERATIONS] of { byte };
/* … and those of tag gave_up_tag */
chan notices[RANKS * RANKS] = [1] of { byte };
#define to(rank) messages[self * RANKS + (rank)]
#define from(rank) messages[(rank) * RANKS + self]

byte failures;         /* ranks that have failed by themselves */
byte given_up[RANKS];  /* the operation that each has given up, or NONE */

/* Which operations these are, which all ranks know; the root is their number modulo the number of ranks. */
mtype = { unknown, ring, bcast };
mtype kind[OPERATIONS];
#define sends_to(rank) \
  ((rank) != self && (kind[carried] == ring -> (rank) == (self + 1) % RANKS : self == carried % RANKS))
#define receives_from(rank) \
  ((rank) != self && (kind[carried] == ring -> self == ((rank) + 1) % RANKS : (rank) == carried % RANKS))

/* Failure::gave_up, as far as this rank knows */
#if MUTATION == 1
#define gave_up(rank) (known[rank] == carried)
#elif MUTATION == 2
#define gave_up(rank) (known[rank] != NONE)
#else
#define gave_up(rank) (known[rank] <= carried)
#endif

#define any_gave_up (gave_up(0) || gave_up(1) || gave_up(2))
#if MUTATION == 4
#define checks_peers (awaits[0] || awaits[1] || awaits[2])
#else
#define checks_peers true
#endif

#define is_received(rank) (!(to(rank) ?? [eval(carried)]))
#define all_received (is_received(0) && is_received(1) && is_received(2))

/* Failure::receive_in_vain, of tag gave_up_tag; a rank sends itself none */
#define learn(rank) notices[(rank) * RANKS + self] ? known[rank]

#define sweep(rank) \
  atomic { from(rank) ? number -> awaits[rank] = awaits[rank] && number != carried; number = 0 }

#define receive(rank) \
  atomic { awaits[rank] && from(rank) ?? [eval(carried)] -> from(rank) ?? eval(carried); awaits[rank] = false }

/* transport::given_up, of all that is under way with a rank */
#define is_rid_of(rank) ((!awaits[rank] && is_received(rank)) || gave_up(rank))

inline send(rank) {
  if
  :: sends_to(rank) -> to(rank) ! carried
  :: else
  fi
}

inline give_up() {
  atomic {
    assert(given_up[0] <= carried || given_up[1] <= carried || given_up[2] <= carried || has_failed);
    given_up[self] = carried
  }
#if MUTATION == 5
  if
  :: has_failed ->
#endif
    if
    :: self != 0 -> notices[self * RANKS + 0] ! carried
    :: else
    fi;
    if
    :: self != 1 -> notices[self * RANKS + 1] ! carried
    :: else
    fi;
    if
    :: self != 2 -> notices[self * RANKS + 2] ! carried
    :: else
    fi
#if MUTATION == 5
  :: else
  fi
#endif
}

/* transport::abandon */
inline abandon() {
  do
  :: is_rid_of(0) && is_rid_of(1) && is_rid_of(2) -> break
  :: sweep(0)
  :: sweep(1)
  :: sweep(2)
#if MUTATION != 3
  :: learn(0)
  :: learn(1)
  :: learn(2)
#endif
  od
}

proctype rank(byte self) {
  byte carried, known[RANKS], number;
  bool awaits[RANKS], has_failed, gives_up;
  atomic { known[0] = NONE; known[1] = NONE; known[2] = NONE }
  do
  :: carried == OPERATIONS || gives_up -> break
  :: carried < OPERATIONS && !gives_up ->
    atomic {
      if
      :: kind[carried] == unknown ->
        if
        :: kind[carried] = ring
        :: kind[carried] = bcast
        fi
      :: else
      fi;
      awaits[0] = receives_from(0); awaits[1] = receives_from(1); awaits[2] = receives_from(2)
    }
    send(0); send(1); send(2);
    do
    :: !awaits[0] && !awaits[1] && !awaits[2] && all_received -> carried++; break
    :: receive(0)
    :: receive(1)
    :: receive(2)
    :: learn(0)
    :: learn(1)
    :: learn(2)
    :: any_gave_up && checks_peers -> gives_up = true; break
    :: d_step { failures < FAILURES -> failures++; has_failed = true; gives_up = true }; break
    od
  od;
  if
  :: gives_up -> give_up(); abandon()
  :: else
  fi
}

init {
  atomic {
    given_up[0] = NONE; given_up[1] = NONE; given_up[2] = NONE;
    kind[0] = unknown; kind[1] = unknown; kind[2] = unknown;
    run rank(0); run rank(1); run rank(2)
  }
}
