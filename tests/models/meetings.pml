/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Phases and meetings of a team, runtime/team/team.cpp: what members do in JOIN, LEAVE, FENCE, a hybrid operation,
 * free, and when their thread ends in a phase, in every order. A phase ends for all members or, once one is gone that
 * has not arrived, with an error for all who wait; a meeting is of all members, and has one leader, or is an error for
 * all who have come. Nobody waits for ever.
 *
 * The doorbell is what doorbell.pml shows it to be: who has read rings() does not sleep if it has rung since. The
 * chunks that members run while they wait are left out, as they change nothing here.
 *
 * Mutation 1: leave() looks at present_ before it counts itself in arrived_. Found: invalid end state
 * Mutation 2: await() does not look again whether all is over once it is hopeless. Found: assertion violated
 * Mutation 3: who cannot meet does not withdraw from present_. Found: assertion violated
 * Mutation 4: drop() does not ring. Found: invalid end state
 * Mutation 5: end_phase() advances phase_ before it resets arrived_. Found: invalid end state
 * Mutation 6: who is willing takes the lead before the last to come looks for a leader. Found: assertion violated
 */

#define MEMBERS 3  /* size_ */
#define PHASES 2   /* that a member goes through, if it can */
#define MEETINGS 2 /* that it comes to */
#define NOBODY MEMBERS

byte arrived, phase, gone, present, meetings; /* arrived_, phase_, gone_, present_, meetings_ */
byte willing = NOBODY;                        /* willing_ */
byte leader = NOBODY;                          /* leader_ */
byte parts[MEMBERS];                          /* parts_: the number of the meeting that it is for */

/* For each member: doorbell_ has rung since it has read rings(). */
bool rung[MEMBERS];
inline ring_all() {
  d_step { rung[0] = true; rung[1] = true; rung[2] = true }
}

/* What is so, for the assertions. */
byte arrivals[PHASES];   /* members that have called LEAVE in a phase */
byte acts[MEETINGS + 1]; /* how often a meeting has had a leader */
byte leaders;             /* members that may lead */

/* Team::await, which returns `success` */
#if MUTATION == 2
#define again(is_over) false
#else
#define again(is_over) (is_over)
#endif
inline await(is_over, is_hopeless) {
  do
  :: rung[self] = false; /* doorbell_.rings() */
    if
    :: is_over -> success = true; break
    :: else
    fi;
    if
    :: is_hopeless -> success = again(is_over); break
    :: else
    fi;
    rung[self] /* doorbell_.wait() */
  od
}

/* Team::leave */
inline leave() {
  before = phase;
#if MUTATION == 1
  others = present;
#endif
  d_step { arrived++; is_last = (arrived == MEMBERS); arrivals[own_phase]++ }
#if MUTATION != 1
  others = present;
#endif
  if
  :: is_last -> /* end_phase() */
#if MUTATION == 5
    phase++;
    arrived = 0;
#else
    arrived = 0;
    phase++;
#endif
    ring_all();
    success = true
  :: else ->
    if
    :: others != 0 -> ring_all()
    :: else
    fi;
    await(phase != before, gone != 0)
  fi;
  atomic {
    assert(success == (arrivals[own_phase] == MEMBERS) && (success || gone != 0));
    before = 0; others = 0; is_last = false; success = false; own_phase++
  }
}

/* Team::meet, by convene() and adjourn() */
#if MUTATION == 6
#define is_leader (present == MEMBERS && (willing == self || leader == self))
#else
#define is_leader (leader == self)
#endif
inline meet() {
  atomic { before = meetings; parts[self] = before }
  if
  :: may_lead -> willing = self
  :: else
  fi;
  d_step { present++; is_last = (present == MEMBERS) }
  if
  :: is_last -> others = willing
  :: else -> others = MEMBERS + 1
  fi;
  if
  :: others == NOBODY || others == self -> success = true; acts_here = true
  :: else ->
    if
    :: is_last -> leader = others; ring_all()
    :: else
    fi;
    await(meetings != before || is_leader, arrived != 0 || gone != 0);
    acts_here = success && is_leader
  fi;
  if
  :: acts_here -> /* act(parts_) */
    atomic {
      assert(parts[0] == before && parts[1] == before && parts[2] == before);
      assert(may_lead || leaders == 0);
      acts[before]++;
      assert(acts[before] == 1)
    }
    willing = NOBODY;
    leader = NOBODY;
    present = 0;
    meetings++;
    ring_all()
  :: success && !acts_here -> assert(acts[before] == 1)
  :: !success -> /* Misuse is thrown */
    assert(arrivals[own_phase] != 0 || gone != 0);
    willing = NOBODY;
#if MUTATION != 3
    present--
#endif
  fi;
  atomic {
    before = 0; others = 0; is_last = false; success = false; acts_here = false; parts[self] = 0;
    own_meetings++
  }
}

/* Team::drop */
inline drop() {
  gone++;
#if MUTATION != 4
  ring_all()
#endif
}

proctype member(byte self; bool may_lead) {
  byte own_phase, own_meetings, before, others;
  bool is_last, success, acts_here;
  do
  :: own_phase == PHASES || gone != 0 -> break /* Team::join throws if one is gone */
  :: own_phase < PHASES && gone == 0 ->
    do
    :: own_meetings < MEETINGS -> meet()
    :: leave(); break
    :: goto ended /* the thread, in a phase */
    od
  od;
ended:
  drop()
}

init {
  atomic {
    if
    :: leaders = 1
    :: skip
    fi;
    run member(0, leaders > 0);
    run member(1, false);
    run member(2, false)
  }
}
