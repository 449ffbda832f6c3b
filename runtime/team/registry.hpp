// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "team/team.hpp"

/// Keeps the process's teams by id, and the thread's memberships by handle. Any thread may call any function.
///
/// A *generation* of an id is complete when as many threads as its team's size have created it. It ends when
/// all of them have freed their handles. A thread that has freed its handle may create the id again while
/// other threads still hold handles of the old generation: that begins the next generation.
namespace helper::team {

/// A thread's name for its membership; never 0. Handles of two threads differ.
using Handle = int;

/// Makes the calling thread a member of the generation of `id` that is not complete, or else of a new one.
/// Local and non-blocking. Throws Misuse if `size` is less than 1 or not the size of that generation, if the
/// thread holds a handle of `id` already, or if other threads have taken all places.
Handle create(int id, int size, const Waiting& waiting);

/// Lets free(handle) call `undo` first. The calling thread has just created `handle`.
void on_free(Handle handle, std::function<void()> undo);

/// Returns the thread's place in the team of `handle`. Throws Misuse if it is not the thread's handle.
const Member& member(Handle handle);

/// Ends the membership. Throws Misuse if the calling thread does not own `handle`, or is in the team's phase.
void free(Handle handle);

/// JOIN, LEAVE and FENCE. They throw Misuse as documented in mpi_helper.h.
void join(Handle handle);
void leave(Handle handle);
void fence(Handle handle);

/// Returns the calling thread's place in the team of `handle`. Throws Misuse if `handle` is not the calling
/// thread's, or if the thread is not in a phase of that team. The text names `function`.
Member& joined(Handle handle, const char* function);

/// Returns a line for each team of which a thread holds a handle.
std::vector<std::string> live();

/// Forgets all teams. Returns a line for each team that was not freed. A handle that a thread still holds
/// keeps its team alive. Called when MPI ends.
std::vector<std::string> forget_all();

/// Whether a thread is in a phase, and as which member. It is one word, so that a call needs one branch.
class Presence {
public:
  /// Returns whether the thread is known to be outside all phases.
  bool outside() const noexcept { return word_ == known_outside; }

  /// Returns the member whose phase the thread is in; nullptr outside phases, and while undecided().
  Member* member() const noexcept {
    return word_ > known_outside ? reinterpret_cast<Member*>(word_) : nullptr;
  }

  /// Returns whether neither enter() nor stay_outside() has been called for the thread yet.
  bool undecided() const noexcept { return word_ == 0; }

  void enter(Member& member) noexcept { word_ = reinterpret_cast<std::uintptr_t>(&member); }
  void stay_outside() noexcept { word_ = known_outside; }

private:
  static constexpr std::uintptr_t known_outside = 1;
  std::uintptr_t word_ = 0;
};

/// The presence of the calling thread.
inline thread_local constinit Presence presence;

/// While it lives, the thread counts as outside phases: MPI alone handles the MPI calls that it makes.
class StepOutside {
public:
  StepOutside() noexcept : before_(presence) { presence.stay_outside(); }
  ~StepOutside() { presence = before_; }
  StepOutside(const StepOutside&) = delete;
  StepOutside& operator=(const StepOutside&) = delete;

private:
  const Presence before_;
};

/// While it lives, the member's thread is in the MPI function `name`. The call is recorded. MPI alone handles
/// MPI calls made within it, including calls of user callbacks.
class InCall {
public:
  InCall(const Member& member, const char* name) noexcept : recorded_(member.track(), name) {}

private:
  const trace::Call recorded_;
  const StepOutside outside_;
};

/// Makes the calling thread, which must be undecided, a guest of `team` until the thread ends. The thread is
/// then in a phase of `team` whenever it is in no other team's phase. `team` must outlive the thread.
Member& be_guest_of(Team& team);

/// Returns the calling thread's place in a team of its own without phases, for functions that need a member.
Member& alone();

/// Returns 1 if the calling thread is in no team, so that Oversubscription does not count it yet; else 0.
int uncounted() noexcept;

} // namespace helper::team
