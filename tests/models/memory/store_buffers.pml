/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory as THREADS threads see it whose stores wait in a buffer before the others see them: a load may come before
 * an earlier store of the same thread, as on all processors, and stores to different places come in any order, as on
 * some, unless the later one is a release. Loads come in their order, as acquires do. So this is memory as Arm's
 * processors have it, of protocols whose loads are acquires, and whose read-modify-writes are releases: these come behind
 * all stores before them, and no later acquire comes before them. For the models that include this, which define THREADS, PLACES (4 or 6) and none_waits(thread), and run a buffer() for each thread.
 */

byte memory[PLACES];
typedef Stores {
  bool waits[PLACES];
  byte value[PLACES]
}
Stores stores[THREADS];

#define load(thread, place) (stores[thread].waits[place] -> stores[thread].value[place] : memory[place])

inline store_relaxed(thread, place, what) {
  d_step { stores[thread].waits[place] = true; stores[thread].value[place] = what }
}
inline store_release(thread, place, what) {
  d_step { none_waits(thread) -> stores[thread].waits[place] = true; stores[thread].value[place] = what }
}

/* atomic_thread_fence(seq_cst), and what an atomic read-modify-write begins with. So does the answer to another
 * thread's membarrier(2). */
#define fence(thread) none_waits(thread)

#define drain(place) \
  d_step { \
    stores[thread].waits[place] -> memory[place] = stores[thread].value[place]; stores[thread].waits[place] = false; \
    stores[thread].value[place] = 0 \
  }
proctype buffer(byte thread) {
end:
  do
  :: drain(0)
  :: drain(1)
  :: drain(2)
  :: drain(3)
#if PLACES > 4
  :: drain(4)
  :: drain(5)
#endif
  od
}
