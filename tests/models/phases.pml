/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The words of phases and meetings, runtime/team/team.cpp and team.hpp, in memory that comes out of order: what members do in JOIN, LEAVE,
 * meetings, and when their thread ends in a phase. All is as in meetings.pml, and who comes out of LEAVE knows what all members
 * have written before, the leader what all have brought. There are two members, one less than there.
 *
 * The doorbell's rings pass on what who rings has seen, by its sequentially consistent addition; see doorbell.pml for the rest.
 *
 * Mutation 1: leave() counts in arrived_ without sequential consistency. Found: invalid end state
 * Mutation 2: leave() loads present_ so. Found: invalid end state
 * Mutation 3: convene() counts in present_ so. Found: invalid end state
 * Mutation 4: one_cannot_come() loads arrived_ so. Found: invalid end state
 * Mutation 5: leave() counts in arrived_ without release. Found: assertion violated (acts[
 * Mutation 6: leave() counts in arrived_ without acquire. Found: assertion violated ((known
 * Mutation 7: end_phase() advances phase_ without release. Found: assertion violated ((known
 * Mutation 8: leave() loads phase_ without acquire. Found: assertion violated ((known
 * Mutation 9: drop() counts in gone_ without release. Found: assertion violated
 * Mutation 10: leave() loads gone_ without acquire. Found: assertion violated
 * Mutation 11: convene() counts in present_ without release. Found: assertion violated ((known
 * Mutation 12: convene() counts in present_ without acquire. Found: assertion violated ((known
 * Mutation 13: convene() stores leader_ without release. Found: assertion violated ((known
 * Mutation 14: is_leader() loads it without acquire. Found: assertion violated ((known
 * Mutation 15: adjourn() advances meetings_ without release. Found: assertion violated ((known
 * Mutation 16: decided() loads it without acquire. Found: assertion violated ((known
 * Mutation 17: one_cannot_come() loads gone_ without acquire. Found: assertion violated
 */

#define MEMBERS 2  /* size_ */
#define PHASES 2   /* that a member goes through, if it can */
#define MEETINGS 2 /* that it comes to */
#define THREADS MEMBERS

/* arrived_, phase_, gone_, present_, willing_ and leader_, which are 0 for nobody, meetings_, and rings_ of the doorbell */
#define ARRIVED 0
#define PHASE 1
#define GONE 2
#define PRESENT 3
#define WILLING 4
#define LEADER 5
#define ENDED 6
#define RINGS 7
#define PLACES 8
#define MESSAGES 3

/* parts_, and what a member writes in a phase */
#define PART(member) (member)
#define WORK(member) (MEMBERS + (member))
#define DATA (2 * MEMBERS)
#include "memory/views.pml"

/* For each member: rings_ is not what it has read. */
bool rung[MEMBERS];
inline ring_all() {
  atomic {
    update(self, RINGS, seq_cst, word, 0);
    for (i : 0 .. MEMBERS - 1) { rung[i] = true }
  }
}
inline read_rings() {
  atomic {
    load(self, RINGS, acquire, word);
    if
    :: place[RINGS].last == 0 || has_seen(seen[self], RINGS, place[RINGS].last) -> rung[self] = false
    :: else
    fi
  }
}

/* What is so, for the assertions. */
byte arrivals[PHASES];
byte acts[MEETINGS];
bool has_leaders; /* member 0 may lead */

inline read_all_but_own(first) {
  atomic {
    which = 0;
    do
    :: which < MEMBERS && which != self -> read(self, (first) + which); which++
    :: which == self -> which++
    :: which == MEMBERS -> which = 0; break
    od
  }
}

/* Team::leave */
inline leave() {
  load(self, PHASE, relaxed, before);
  write(self, WORK(self));
  atomic {
    update(self, ARRIVED, (MUTATION == 1 -> acq_rel : (MUTATION == 5 -> acquire : (MUTATION == 6 -> release : seq_cst))), word, word + 1);
    arrivals[own_phase]++
  }
  if
  :: word + 1 == MEMBERS -> /* end_phase() */
    store(self, ARRIVED, 0, relaxed);
    update(self, PHASE, order(7, release), word, word + 1);
    ring_all();
    success = true
  :: else ->
    load(self, PRESENT, (MUTATION == 2 -> acquire : seq_cst), word);
    if
    :: word != 0 -> ring_all()
    :: else
    fi;
    do /* await() */
    :: read_rings();
      load(self, PHASE, order(8, acquire), word);
      if
      :: word != before -> success = true; break
      :: else
      fi;
      load(self, GONE, order(10, acquire), word);
      if
      :: word != 0 -> load(self, PHASE, order(8, acquire), word); success = (word != before); break
      :: else
      fi;
      rung[self]
    od
  fi;
  atomic { word = 0; before = 0 }
  assert(success == (arrivals[own_phase] == MEMBERS));
  if
  :: success && own_phase == PHASES - 1 -> read_all_but_own(WORK(0))
  :: else
  fi;
  atomic { success = false; own_phase++ }
}

/* Team::convene, where it has not ended at once: `success` says whether it is decided, acts_here whether the member leads. */
inline decide() {
  load(self, ENDED, order(16, acquire), word);
  success = (word != before);
  load(self, LEADER, order(14, acquire), word);
  acts_here = (word == self + 1);
  success = success || acts_here
}

/* Team::meet, by convene() and adjourn() */
inline meet() {
  load(self, ENDED, relaxed, before);
  write(self, PART(self));
  if
  :: may_lead -> store(self, WILLING, self + 1, relaxed)
  :: else
  fi;
  update(self, PRESENT, (MUTATION == 3 -> acq_rel : (MUTATION == 11 -> acquire : (MUTATION == 12 -> release : seq_cst))), word, word + 1);
  if
  :: word + 1 == MEMBERS -> load(self, WILLING, relaxed, word); is_last = true
  :: else
  fi;
  if
  :: is_last && (word == 0 || word == self + 1) -> success = true; acts_here = true
  :: else ->
    if
    :: is_last -> store(self, LEADER, word, order(13, release)); ring_all()
    :: else
    fi;
    do /* await() */
    :: read_rings();
      decide();
      if
      :: success -> break
      :: else
      fi;
      load(self, ARRIVED, (MUTATION == 4 -> acquire : seq_cst), word);
      if
      :: word == 0 -> load(self, GONE, order(17, acquire), word)
      :: else
      fi;
      if
      :: word != 0 -> decide(); break
      :: else
      fi;
      rung[self]
    od
  fi;
  atomic { word = 0; is_last = false }
  if
  :: acts_here -> /* act(parts_) */
    read_all_but_own(PART(0));
    atomic { assert(may_lead || !has_leaders); acts[before]++; assert(acts[before] == 1) }
    store(self, WILLING, 0, relaxed);
    store(self, LEADER, 0, relaxed);
    store(self, PRESENT, 0, relaxed);
    update(self, ENDED, order(15, release), word, word + 1);
    ring_all()
  :: success && !acts_here -> assert(acts[before] == 1)
  :: !success -> /* Misuse is thrown */
    assert(acts[before] == 0);
    store(self, WILLING, 0, relaxed);
    update(self, PRESENT, relaxed, word, word - 1)
  fi;
  atomic { word = 0; before = 0; success = false; acts_here = false; own_meetings++ }
}

proctype member(byte self; bool may_lead) {
  byte own_phase, own_meetings, before, word, which;
  bool is_last, success, acts_here;
  do
  :: own_phase == PHASES -> break
  :: own_phase < PHASES ->
    load(self, GONE, relaxed, word);
    if
    :: word != 0 -> break /* Team::join throws */
    :: else
    fi;
    do
    :: own_meetings < MEETINGS -> meet()
    :: leave(); break
    :: goto ended /* the thread, in a phase */
    od
  od;
ended:
  skip; /* Team::drop */
  update(self, GONE, order(9, release), word, word + 1);
  ring_all()
}

init {
  atomic {
    begin_memory();
    if
    :: has_leaders = true
    :: skip
    fi;
    for (i : 1 .. MEMBERS - 1) { run member(i, false) }
    run member(0, has_leaders)
  }
}
