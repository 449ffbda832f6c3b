/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The doorbell of a team, runtime/team/bell.cpp, where members sleep, and Pause, runtime/team/pause.cpp, which
 * sleeps at the doorbell and at the process's bell at once. One thread makes two changes that all wait for, and rings
 * the doorbell after each; another process makes one that Pause waits for, and rings the bell. Nobody sleeps on when
 * that is done, though nobody wakes up by himself here.
 *
 * The bell is that of bell.pml where there is no membarrier(2).
 *
 * Mutation 1: ring() looks at sleepers_ before it advances rings_. Found: invalid end state
 * Mutation 2: Pause counts itself among the sleepers for its first sleep alone. Found: invalid end state
 * Mutation 3: Pause reads rings_ when it goes to sleep, not before it polls once more. Found: invalid end state
 * Mutation 4: sleep() reads rings() after it has looked whether all is over. Found: invalid end state
 */

#define THREADS 4

/* What is in memory: the two changes; rings_ and sleepers_ of the doorbell; rings_ and asleep_ of the bell */
#define CHANGES 0
#define ARRIVED 1
#define RINGS 2
#define SLEEPERS 3
#define BELL_RINGS 4
#define BELL_ASLEEP 5
#define PLACES 6

#define none_waits(thread) \
  (!stores[thread].waits[0] && !stores[thread].waits[1] && !stores[thread].waits[2] && !stores[thread].waits[3] && \
   !stores[thread].waits[4] && !stores[thread].waits[5])
#include "memory/store_buffers.pml"

bool asleep[THREADS]; /* in the kernel, until woken */

/* Doorbell::ring, of all sleepers */
inline ring_doorbell() {
#if MUTATION == 1
  somebody = load(self, SLEEPERS) != 0;
#endif
  atomic { fence(self) -> memory[RINGS]++ }
#if MUTATION != 1
  somebody = load(self, SLEEPERS) != 0;
#endif
  if
  :: somebody -> d_step { asleep[0] = false; asleep[1] = false; somebody = false }
  :: else
  fi
}

/* Doorbell::announce and retract */
inline announce() {
  atomic { fence(self) -> memory[SLEEPERS]++ }
  rung = load(self, RINGS)
}
inline retract() {
  atomic { fence(self) -> memory[SLEEPERS]-- }
}

/* A member in LEAVE: Team::await by Doorbell::spin and sleep */
proctype member(byte self) {
  byte seen, rung;
  do
  ::
#if MUTATION != 4
    seen = load(self, RINGS);
#endif
    if
    :: load(self, CHANGES) == 2 -> break
    :: else
    fi;
#if MUTATION == 4
    seen = load(self, RINGS);
#endif
    announce();
    do
    :: rung == seen ->
      atomic { /* futex::wait */
        if
        :: memory[RINGS] == seen -> asleep[self] = true
        :: else
        fi
      }
      !asleep[self];
      rung = load(self, RINGS)
    :: else -> break
    od;
    retract()
  od
}

/* A member in MPI: Member::lend_until by Pause::take, which does not yield any more */
proctype pause(byte self) {
  byte seen_of_process, rung; /* seen_of_process_ and seen_of_team_ */
  bool counted;               /* counted_ */
  do
  :: /* Pause::announce */
    seen_of_process = load(self, BELL_RINGS);
    atomic { fence(self) -> memory[BELL_ASLEEP] = 1 }
    if
    :: counted -> rung = load(self, RINGS)
    :: else -> announce(); counted = true
    fi;
    if /* the poll after that */
    :: load(self, CHANGES) == 2 && load(self, ARRIVED) == 1 -> break
    :: else
    fi;
#if MUTATION == 3
    rung = load(self, RINGS);
#endif
    /* Pause::sleep, by futex::wait_either */
    atomic {
      if
      :: memory[RINGS] == rung && memory[BELL_RINGS] == seen_of_process -> asleep[self] = true
      :: else
      fi
    }
    !asleep[self]
#if MUTATION == 2
    retract()
#endif
  od;
  retract() /* Pause::end */
}

proctype ringer(byte self) {
  bool somebody;
  store_release(self, CHANGES, 1);
  ring_doorbell();
  store_release(self, CHANGES, 2);
  ring_doorbell()
}

/* Another process, by Bell::ring; it reaches only who sleeps at the bell. */
proctype peer(byte self) {
  bool somebody;
  store_release(self, ARRIVED, 1);
  fence(self);
  atomic { fence(self) -> somebody = memory[BELL_ASLEEP]; memory[BELL_ASLEEP] = 0 }
  if
  :: somebody ->
    atomic { fence(self) -> memory[BELL_RINGS]++ }
    asleep[1] = false
  :: else
  fi
}

init {
  atomic {
    run buffer(0); run buffer(1); run buffer(2); run buffer(3);
    run member(0); run pause(1); run ringer(2); run peer(3)
  }
}
