// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <deque>
#include <functional>

#include "trace/track.hpp"

/// Keeps what the members of this process's teams did: a track for each, until the process ends.
///
/// Where nothing is recorded there are no tracks, and a member has a null pointer in its track's place, whose
/// test is all that recording costs then.
namespace helper::trace {

/// Has members recorded that are made from now on, each with a timeline of `spans` spans, the last ones; with
/// 0, counters alone. Every call gives the same number; the first one comes before any member is made.
void start(std::size_t spans);

/// Has counters recorded from now on, if nothing was: of members made from now on, and of others from their
/// next JOIN or FENCE. Any thread may call it.
void count();

/// Tells whether members are recorded. Any thread may call it; the answer may be late.
bool is_on() noexcept;

/// Forgets what has been recorded, but for what visit_counters() gives. It is called when no member records.
void clear();

/// Returns the track for a member of the team `team`, or nullptr where nothing is recorded. A closed track is
/// continued, so that there are never more than members at a time. Any thread may call it.
Track* open(int team, int member);

/// Takes back what open() gave, when the member records no more; nullptr is ignored. Any thread may call it.
void close(Track* track) noexcept;

/// Gives `sink` the counters of all tracks, also of what was forgotten since, while members record. Any
/// thread may call it; the sink may not open tracks.
void visit_counters(const std::function<void(const Counters&)>& sink);

/// Returns all tracks, in the order of their making. It is called when no member records any more.
const std::deque<Track>& tracks();

} // namespace helper::trace
