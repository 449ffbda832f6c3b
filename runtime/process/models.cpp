// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/models.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "lifetime/at_end.hpp"
#include "native/attribute.hpp"
#include "process/attendance.hpp"
#include "process/notices.hpp"
#include "process/process.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/world.hpp"
#include "team/registry.hpp"
#include "transport/patience.hpp"

namespace helper::process::first {

namespace {

// The number of calls of enter() in effect; or `held`: one, and others wait. Sequentially consistent.
constinit std::atomic<int> entered{0};
constexpr int held = -1;

} // namespace

void enter() noexcept {
  for (int now = entered; now == held || !entered.compare_exchange_weak(now, now + 1);) {
    entered.wait(held);
    now = entered;
  }
}

void leave() noexcept {
  --entered;
}

bool hold_others() noexcept {
  int alone = 1;
  return entered.compare_exchange_strong(alone, held);
}

void release_others() noexcept {
  entered = 1;
  entered.notify_all();
}

} // namespace helper::process::first

namespace helper::process::models {

namespace {

std::mutex mutex; // guards the following, but is not held across calls that wait for other processes

// The number of the program's open sessions. Changed with the mutex held. Relaxed reads without the mutex: a
// thread sees at least its own sessions.
std::atomic<int> open{0};
int made_of_groups = 0;   // communicators that leave() has not been called for
bool is_in_world = false; // between MPI_Init and MPI_Finalize, as far as seen

// Whether the library has begun with communicators of its own session.
bool is_of_session = false;

#if MPI_VERSION >= 4
// The session of the library. It is open while the program has a session, and longer if the library needs it.
MPI_Session own = MPI_SESSION_NULL;

/// The processes of a process set, in the library's session.
class Set {
public:
  explicit Set(const char* name) {
    const std::lock_guard lock(mutex);
    if (own != MPI_SESSION_NULL) PMPI_Group_from_session_pset(own, name, &group_);
  }
  ~Set() {
    if (is_known()) PMPI_Group_free(&group_);
  }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;

  bool is_known() const noexcept { return group_ != MPI_GROUP_NULL; }

  int own_rank() const {
    int rank = 0;
    if (is_known()) PMPI_Group_rank(group_, &rank);
    return rank;
  }

  int size() const {
    int size = 0;
    if (is_known()) PMPI_Group_size(group_, &size);
    return size;
  }

  /// Returns whether an intra-communicator has exactly these processes.
  bool are_those_of(MPI_Comm comm) const {
    MPI_Group group = MPI_GROUP_NULL;
    int result = MPI_UNEQUAL;
    if (!is_known() || PMPI_Comm_group(comm, &group) != MPI_SUCCESS) return false;
    PMPI_Group_compare(group, group_, &result);
    PMPI_Group_free(&group);
    return result != MPI_UNEQUAL;
  }

  /// Makes a communicator that returns errors. Collective over these processes.
  MPI_Comm communicator(const char* tag) const {
    MPI_Comm made = MPI_COMM_NULL;
    PMPI_Comm_create_from_group(group_, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
    return made;
  }

private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

const char* const all_processes = "mpi://WORLD";
const char* const this_process = "mpi://SELF";

/// Opens another session with the thread level of `session`.
MPI_Session another(MPI_Session session) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Session made = MPI_SESSION_NULL;
  PMPI_Session_get_info(session, &info);
  PMPI_Session_init(info, MPI_ERRORS_RETURN, &made);
  PMPI_Info_free(&info);
  if (made == MPI_SESSION_NULL) throw std::runtime_error("MPI has no session for it");
  return made;
}

bool has_own_session() {
  const std::lock_guard lock(mutex);
  return own != MPI_SESSION_NULL;
}

OwnCommunicators own_of_session() {
  const Set all(all_processes);
  return {all.communicator("mpi_helper messages"), all.communicator("mpi_helper operations"),
          Set(this_process).communicator("mpi_helper self")};
}

bool is_of_all(MPI_Comm comm) {
  return Set(all_processes).are_those_of(comm);
}
#else
bool has_own_session() {
  return false;
}
OwnCommunicators own_of_session() {
  return {};
}
bool is_of_all(MPI_Comm) {
  return false;
}
#endif

/// Sets world::takes_more(). It is false while sessions are open and the library's communicators come from
/// MPI_COMM_WORLD, which may end before communicators of these sessions.
void settle_what_is_taken() {
  ranks::world::take_more(open == 0 || !begun() || is_of_session);
}

void leave_to_mpi(Why why) {
  stay_idle(why);
  report_alone();
}

/// While this object lives, its thread waits in MPI as if ranks were oversubscribed: until the library has
/// begun, they may be. A thread that spins in native MPI would keep the core from the rank that it waits for.
class PatientBegin {
  const team::Oversubscription::Suspected suspected_;
  // The team of team::alone() is not used, since it would be made before recording begins.
  team::Team team_{team::Team::solo, 1, {}};
  // Without sessions the library begins in MPI_Init, where no other thread calls MPI.
  const transport::Patience patience_{team_.add(), has_sessions()};
};

bool is_single(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return true;
  int is_inter = 0;
  int size = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  PMPI_Comm_size(comm, &size);
  return is_inter == 0 && size == 1;
}

/// If is_asked(), prints that the launcher has started several processes and MPI takes each for a job of its
/// own. This happens if launcher and MPI use different protocols.
void say_if_apart() {
  const int started = Attendance::started();
  if (started > 1 && is_asked_at_rank_0())
    print("started as " + std::to_string(started) +
          " separate jobs of one process: is mpiexec that of the MPI that the program is linked to?");
}

enum { can_all_begin, has_session, least_version, minus_greatest_version, answers };

/// Returns the minimum of each answer over all processes. All versions of the library have this array.
std::array<int, answers> least(int may_begin, MPI_Comm comm) {
  // Different versions have different numbers.
  const auto own_version = static_cast<int>(std::hash<std::string_view>{}(version()) & INT_MAX);
  std::array<int, answers> all{may_begin, has_own_session() ? 1 : 0, own_version, -own_version};
  PMPI_Allreduce(MPI_IN_PLACE, all.data(), answers, MPI_INT, MPI_MIN, comm);
  return all;
}

bool is_one_version(const std::array<int, answers>& all) {
  return all[least_version] == -all[minus_greatest_version];
}

/// The answer of a process that has an error to report.
constexpr int fails = -1;

/// Waits for rank 0's report, if a process has failed. Returns whether one has.
bool waits_for_report(const std::array<int, answers>& all, MPI_Comm comm) {
  if (all[can_all_begin] != fails) return false;
  PMPI_Barrier(comm); // as world_fails() does
  return true;
}

OwnCommunicators own_of_world() {
  const MPI_Comm all = ranks::private_copy_of_world();
  if (!is_everywhere(all != MPI_COMM_NULL, MPI_COMM_WORLD)) return {};
  return {ranks::private_copy(all), all, ranks::private_copy_of_self(all)};
}

/// Begins the library if `comm`, which has all processes, is the first at each, and all have one version.
void begin_with(MPI_Comm comm) {
  if (is_single(comm))
    say_if_apart();
  else if (!Attendance::take().all_here())
    return leave_to_mpi(Why::incomplete);
  const bool is_first = first::hold_others();
  const lifetime::AtEnd released([is_first] {
    if (is_first) first::release_others();
  });
  // No team may exist: its members may wait already, but only the beginning fixes how members wait.
  const bool may_begin = is_first && team::live().empty();
  std::optional<PatientBegin> patient;
  if (may_begin) patient.emplace();
  const auto all = least(may_begin ? 1 : 0, comm);
  if (!is_one_version(all)) return leave_to_mpi(Why::versions);
  if (waits_for_report(all, comm)) return stay_idle(Why::not_first); // the error has been reported already
  if (all[can_all_begin] != 1) return leave_to_mpi(Why::not_first);
  start_with(all[has_session] != 0 ? own_of_session() : own_of_world(), comm);
  if (!begun()) return leave_to_mpi(Why::failed);
  if (all[has_session] == 0) carry_first_operations();
  const std::lock_guard lock(mutex);
  is_of_session = all[has_session] != 0;
  settle_what_is_taken();
}

/// Ends the library. Collective if it has begun.
void end() {
  stop();
  const std::lock_guard lock(mutex);
  is_of_session = false;
  settle_what_is_taken();
#if MPI_VERSION >= 4
  if (open == 0 && own != MPI_SESSION_NULL) PMPI_Session_finalize(&own);
#endif
}

/// Calls first::leave() for the communicators that were made from groups. The caller holds the mutex.
void leave_made_of_groups() noexcept {
  for (; made_of_groups != 0; --made_of_groups) first::leave();
}

} // namespace

void world_began() {
  {
    const std::lock_guard lock(mutex);
    is_in_world = true;
  }
  if (!begun()) begin_with(MPI_COMM_WORLD);
}

void world_stays_native() {
  if (!is_single(MPI_COMM_WORLD) && Attendance::take().all_here()) {
    if (const auto all = least(0, MPI_COMM_WORLD); is_one_version(all)) waits_for_report(all, MPI_COMM_WORLD);
  }
}

int world_fails(const std::function<int()>& report) {
  const bool do_all_know = !is_single(MPI_COMM_WORLD) && Attendance::take().all_here() &&
                           is_one_version(least(fails, MPI_COMM_WORLD));
  const bool is_first = ranks::world::own_rank() == 0;
  if (do_all_know && !is_first) PMPI_Barrier(MPI_COMM_WORLD);
  const int code = report();
  if (do_all_know && is_first) PMPI_Barrier(MPI_COMM_WORLD);
  return code;
}

std::vector<std::string> world_ends() {
  bool goes_on = false;
  {
    const std::lock_guard lock(mutex);
    if (is_in_world) first::leave();
    is_in_world = false;
    if (open == 0) leave_made_of_groups();
    goes_on = open != 0 && (is_of_session || !begun());
  }
  if (goes_on) {
    native::Attributes::reset_predefined();
    if (!begun()) ranks::free_own();
    return {};
  }
  auto left_over = open == 0 ? team::forget_all() : std::vector<std::string>();
  end();
  return left_over;
}

void made(MPI_Comm comm) {
  if (is_single(comm)) return first::leave();
  if (!has_sessions())
    say_if_unseen(); // the group is of MPI_COMM_WORLD, or of a session that the library has not seen
  else if (!begun() && is_of_all(comm))
    begin_with(comm);
  else if (!begun())
    stay_idle(Why::not_first);
  const std::lock_guard lock(mutex);
  ++made_of_groups;
}

bool has_sessions() noexcept {
  return open.load(std::memory_order_relaxed) != 0;
}

#if MPI_VERSION >= 4

int own_rank() {
  return Set(all_processes).own_rank();
}

void session_began(MPI_Session session) {
  start_alone();
  bool is_late = false;
  {
    const std::lock_guard lock(mutex);
    if (own == MPI_SESSION_NULL) own = another(session);
    ++open;
    settle_what_is_taken();
    is_late = begun() && !is_of_session;
  }
  if (is_late) stay_idle(Why::late);
}

std::vector<std::string> session_ends() {
  {
    const std::lock_guard lock(mutex);
    if (open == 0 || --open != 0) return {};
    settle_what_is_taken();
    leave_made_of_groups();
    if (is_in_world) return {};
  }
  if (!begun() && Set(all_processes).size() > 1) stay_idle(Why::not_first);
  auto left_over = team::forget_all();
  end();
  return left_over;
}

#else

int own_rank() {
  return 0;
}

#endif

} // namespace helper::process::models
