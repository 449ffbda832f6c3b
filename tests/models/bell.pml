/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The bell of a process, runtime/team/bell.cpp and bell.hpp: threads that wait for two others to take some steps
 * sleep until they are rung, with membarrier(2) or with fences on both sides. Nobody sleeps on when that is done,
 * though nobody wakes up by himself here, as the library's sleepers do after some milliseconds.
 *
 * Mutation 1: announce() does without membarrier. Found: invalid end state
 * Mutation 2: somebody_may_sleep() does without the fence, where there is no membarrier. Found: invalid end state
 * Mutation 3: announce() reads rings_ after it has set asleep_. Found: invalid end state
 * Mutation 4: wake() wakes before it advances rings_. Found: invalid end state
 */

#define SLEEPERS 2
#define RINGERS 2
#define THREADS (SLEEPERS + RINGERS)

/* What is in memory: how far each ringer is; rings_ and asleep_ */
#define STEP(ringer) (ringer)
#define RINGS 2
#define ASLEEP 3
#define PLACES 4

#define none_waits(thread) \
  (!stores[thread].waits[0] && !stores[thread].waits[1] && !stores[thread].waits[2] && !stores[thread].waits[3])
#include "memory/store_buffers.pml"

bool has_membarrier;    /* has_membarrier_, the same everywhere */
bool asleep[SLEEPERS];  /* in the kernel, until woken */

/* Bell::announce: sets seen */
inline announce() {
#if MUTATION != 3
  seen = load(self, RINGS);
#endif
  atomic { fence(self) -> memory[ASLEEP] = 1 } /* fetch_or */
#if MUTATION == 3
  seen = load(self, RINGS);
#endif
  if
  :: has_membarrier ->
#if MUTATION != 1
    fence(0); fence(1); fence(2); fence(3) /* each at some time during the call */
#endif
  :: else -> fence(self)
  fi
}

/* A wait, as Pause does it: announces, looks once more, sleeps. */
proctype sleeper(byte self) {
  byte seen;
  do
  :: announce();
    if
    :: load(self, STEP(0)) == 2 && load(self, STEP(1)) == 2 -> break
    :: else
    fi;
    atomic { /* futex::wait_either */
      if
      :: memory[RINGS] == seen -> asleep[self] = true
      :: else
      fi
    }
    !asleep[self]
  od
}

inline wake_sleepers() {
  d_step { asleep[0] = false; asleep[1] = false }
}

/* Bell::ring, by somebody_may_sleep() and wake() */
inline ring() {
#if MUTATION != 2
  if
  :: has_membarrier /* the compiler keeps the order */
  :: else -> fence(self)
  fi;
#endif
  somebody = load(self, ASLEEP);
  if
  :: somebody ->
    atomic { fence(self) -> somebody = memory[ASLEEP]; memory[ASLEEP] = 0 } /* exchange */
    if
    :: somebody ->
#if MUTATION == 4
      wake_sleepers();
#endif
      atomic { fence(self) -> memory[RINGS]++ }
#if MUTATION != 4
      wake_sleepers()
#endif
    :: else
    fi
  :: else
  fi
}

/* Takes two steps, and rings after each. */
proctype ringer(byte self) {
  bool somebody;
  store_relaxed(self, STEP(self - SLEEPERS), 1);
  ring();
  store_relaxed(self, STEP(self - SLEEPERS), 2);
  ring()
}

init {
  atomic {
    if
    :: has_membarrier = true
    :: has_membarrier = false
    fi;
    run buffer(0); run buffer(1); run buffer(2); run buffer(3);
    run sleeper(0); run sleeper(1); run ringer(2); run ringer(3)
  }
}
