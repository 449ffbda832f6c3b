/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory as C++ defines it, by what each thread has seen. A place is an atomic. What was stored there remains, as messages:
 * a thread may load any of them that is not older than one that it has seen, so loads and stores pass one another as on Arm's
 * processors, or more. Other data are there for what threads know of them: who reads them knows the last write, and who writes them
 * all accesses before, or there is a race. A release leaves what its thread has seen and knows with the message; who loads
 * that with acquire has seen and knows it, too.
 *
 * Sequentially consistent operations see those before them that are at the same place. A fence, which is sequentially consistent as all
 * of the library's, sees all that fences and such operations before it had seen, and does what an acquire by the loads before it would
 * have done. Stores that follow it are no releases, as C++ would have them be; so less is ordered here than there.
 *
 * What is left out: a thread has seen what is older than the last MESSAGES messages of a place; stores to one place come in the order
 * in which they are made; and no load returns what is stored later. A load that a later store might overtake is
 * a race here, if it is of data, since it is not known to who overwrites them.
 *
 * For models that include this and define THREADS, PLACES, MESSAGES and DATA, where PLACES * (MESSAGES - 1) and
 * DATA * (THREADS + 1) are at most 31, and begin with begin_memory().
 */

/* Memory orders, as bits */
#define relaxed 0
#define acquire 1
#define release 2
#define acq_rel 3
#define seq_cst 7

/* What it is, or relaxed in a mutation */
#define order(mutation, right) (MUTATION == (mutation) -> relaxed : (right))

typedef Place {
  byte last; /* of the messages, which are numbered from 0 on */
  byte value[MESSAGES];
  int seen[MESSAGES]; /* what who acquires the message has seen, … */
  int known[MESSAGES] /* … and knows of data */
}
Place place[PLACES];
int seen[THREADS];  /* messages, but for the number 0 of each place, which all have seen */
int known[THREADS]; /* accesses: of each datum the last write, and the last read of each thread since */
int met[THREADS];   /* what a fence will have seen, … */
int met_known[THREADS]; /* … and know, of what has been loaded without acquire */
int ordered;        /* what was seen by sequentially consistent operations */
byte loaded;        /* for load() alone */
hidden byte i, j;   /* for loops in d_step */
hidden int common;

#define newest(p) place[p].value[place[p].last]
#define up_to(p, message) (((1 << (message)) - 1) << ((p) * (MESSAGES - 1)))
#define has_seen(view, p, message) ((((view) >> ((p) * (MESSAGES - 1))) & ((1 << (message)) >> 1)) != 0)
#define without_oldest(view, p) (((view) & ~up_to(p, MESSAGES - 1)) | (((view) >> 1) & up_to(p, MESSAGES - 2)))

#define written(datum) (1 << ((datum) * (THREADS + 1)))
#define was_read(thread, datum) (2 << ((datum) * (THREADS + 1) + (thread)))
#define all_reads(datum) (((2 << THREADS) - 2) << ((datum) * (THREADS + 1)))

inline drop_oldest(p) {
  for (i : 0 .. THREADS - 1) { seen[i] = without_oldest(seen[i], p); met[i] = without_oldest(met[i], p) }
  for (i : 0 .. PLACES - 1) {
    for (j : 0 .. MESSAGES - 1) { place[i].seen[j] = without_oldest(place[i].seen[j], p) }
  }
  ordered = without_oldest(ordered, p);
  for (i : 0 .. MESSAGES - 2) {
    place[p].value[i] = place[p].value[i + 1];
    place[p].seen[i] = place[p].seen[i + 1];
    place[p].known[i] = place[p].known[i + 1]
  }
  place[p].value[MESSAGES - 1] = 0;
  place[p].seen[MESSAGES - 1] = 0;
  place[p].known[MESSAGES - 1] = 0;
  place[p].last--
}

/* Drops the messages that no thread loads any more, so that states which differ in nothing else are one. */
inline tidy(p) {
  do
  :: place[p].last > 0 ->
    common = seen[0];
    for (i : 1 .. THREADS - 1) { common = common & seen[i] }
    if
    :: has_seen(common, p, 1) -> drop_oldest(p)
    :: else -> break
    fi
  :: else -> break
  od;
  common = 0
}

inline append(thread, p, what, how) {
  if
  :: place[p].last == MESSAGES - 1 -> drop_oldest(p)
  :: else
  fi;
  place[p].last++;
  place[p].value[place[p].last] = what;
  seen[thread] = seen[thread] | up_to(p, place[p].last);
  place[p].seen[place[p].last] = up_to(p, place[p].last) | (((how) & release) != 0 -> seen[thread] : 0);
  place[p].known[place[p].last] = (((how) & release) != 0 -> known[thread] : 0);
  ordered = ordered | ((how) == seq_cst -> up_to(p, place[p].last) : 0)
}

inline get(thread, p, message, how) {
  seen[thread] = seen[thread] | up_to(p, message) | (((how) & acquire) != 0 -> place[p].seen[message] : 0);
  known[thread] = known[thread] | (((how) & acquire) != 0 -> place[p].known[message] : 0);
  met[thread] = met[thread] | (((how) & acquire) != 0 -> 0 : place[p].seen[message]);
  met_known[thread] = met_known[thread] | (((how) & acquire) != 0 -> 0 : place[p].known[message]);
  ordered = ordered | ((how) == seq_cst -> up_to(p, message) : 0)
}

inline store(thread, p, what, how) {
  d_step { append(thread, p, what, how); tidy(p) }
}

inline load(thread, p, how, to) {
  atomic {
    loaded = place[p].last;
    do
    :: loaded > 0 && !has_seen(seen[thread] | ((how) == seq_cst -> ordered : 0), p, loaded) -> loaded--
    :: break
    od;
    to = place[p].value[loaded];
    d_step { get(thread, p, loaded, how); loaded = 0; tidy(p) }
  }
}

/* A read-modify-write, which what a release has left goes through, whatever its own order: `to` is what it reads, from which
 * `what` may be made. */
inline update(thread, p, how, to, what) {
  d_step {
    to = newest(p);
    get(thread, p, place[p].last, how);
    append(thread, p, what, how);
    common = place[p].last - 1;
    place[p].seen[common + 1] = place[p].seen[common + 1] | place[p].seen[common];
    place[p].known[common + 1] = place[p].known[common + 1] | place[p].known[common];
    tidy(p)
  }
}

/* atomic_thread_fence(seq_cst) */
inline fence(thread) {
  d_step {
    seen[thread] = seen[thread] | met[thread] | ordered;
    known[thread] = known[thread] | met_known[thread];
    ordered = seen[thread];
    met[thread] = 0;
    met_known[thread] = 0
  }
}

inline forget(accesses) {
  for (i : 0 .. THREADS - 1) { known[i] = known[i] & ~(accesses); met_known[i] = met_known[i] & ~(accesses) }
  for (i : 0 .. PLACES - 1) {
    for (j : 0 .. MESSAGES - 1) { place[i].known[j] = place[i].known[j] & ~(accesses) }
  }
}

inline read(thread, datum) {
  d_step {
    assert((known[thread] & written(datum)) != 0);
    forget(was_read(thread, datum));
    known[thread] = known[thread] | was_read(thread, datum)
  }
}

inline write(thread, datum) {
  d_step {
    assert((known[thread] & written(datum)) != 0);
    assert((known[thread] & all_reads(datum)) == all_reads(datum));
    forget(written(datum) | all_reads(datum));
    for (i : 0 .. THREADS - 1) { known[i] = known[i] | all_reads(datum) }
    known[thread] = known[thread] | written(datum)
  }
}

inline begin_memory() {
  d_step {
    for (i : 0 .. THREADS - 1) { known[i] = ~0 }
    i = 0
  }
}
