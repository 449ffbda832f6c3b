// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/notices.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string_view>

#include "native/predefined.hpp"
#include "process/attendance.hpp"
#include "process/models.hpp"
#include "process/process.hpp"
#include "ranks/world.hpp"
#include "settings/settings.hpp"

namespace helper::process {

namespace {

// Each changes at most once. `why` is stored with release after `is_rank_0`, and loaded with acquire.
constinit struct {
  std::atomic<Why> why{Why::not_yet};
  std::atomic<bool> has_been_said{false};
  std::atomic<bool> is_rank_0{false};
} idle;

/// Returns whether this process is the one that prints the reason.
bool speaks(Why why, bool is_asked) {
  switch (why) {
  case Why::not_yet:
    return false;
  case Why::incomplete:
    return is_asked ? Attendance::take().is_first_asked : Attendance::take().is_first_here;
  case Why::late:
  case Why::failed:
  case Why::not_first:
  case Why::versions:
    return idle.is_rank_0.load(std::memory_order_relaxed);
  }
  return false;
}

std::string own_version() {
  return std::string("MPI Helper Teams ") + version();
}

void say(Why why) {
  switch (why) {
  case Why::not_yet:
    return;
  case Why::late:
    return print("communicators that are new to it are left to MPI while there are sessions that were opened "
                 "after MPI_Init. Open one before MPI_Init");
  case Why::failed:
    return say_not_engaged("some process lacks communicators or memory for it",
                           "Look at what that process reports");
  case Why::not_first:
    return say_not_engaged("it begins with a communicator of all processes, MPI_COMM_WORLD or one made of "
                           "mpi://WORLD, and only if no process has made one with some of them, or a team, "
                           "before",
                           "Call MPI_Init, or make that one, first");
  case Why::incomplete:
    return say_not_engaged(own_version() + " is not in all processes of the job, " +
                               Attendance::take().missing + " lacks it",
                           "Link it to, or preload it in, every executable");
  case Why::versions:
    return say_not_engaged("rank 0 has " + own_version() + ", and others have another version",
                           "Link one version to, or preload it in, every executable");
  }
}

/// Returns a text with the object whose MPI_Init the dynamic linker finds before the library's, if any.
std::string what_stands_before() {
  Dl_info first{};
  Dl_info own{};
  const void* const preferred = dlsym(RTLD_DEFAULT, "MPI_Init");
  if (preferred == nullptr || dladdr(preferred, &first) == 0 || first.dli_fname == nullptr ||
      dladdr(reinterpret_cast<void*>(what_stands_before), &own) == 0 || first.dli_fbase == own.dli_fbase)
    return {};
  return std::string(", ") + first.dli_fname + " stands before the library";
}

bool has_mpi_begun() noexcept {
  int is_initialised = 0;
  PMPI_Initialized(&is_initialised);
  return is_initialised != 0;
}

/// Returns whether this library is linked into the executable.
bool is_in_executable() noexcept {
  Dl_info own{};
  Dl_info executable{};
  return dladdr(reinterpret_cast<void*>(is_in_executable), &own) != 0 &&
         dladdr(_r_debug.r_map->l_ld, &executable) != 0 && own.dli_fbase == executable.dli_fbase;
}

/// Returns whether the executable is linked to a shared library of MPI, or of this project.
bool is_linked_to_mpi() noexcept {
  const char* texts = nullptr;
  for (const ElfW(Dyn)* entry = _r_debug.r_map->l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) texts = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  if (texts == nullptr) return false;
  // `texts` may be an offset: the linker cannot replace it by an address in a section that is read-only.
  if (reinterpret_cast<ElfW(Addr)>(texts) < _r_debug.r_map->l_addr) texts += _r_debug.r_map->l_addr;
  for (const ElfW(Dyn)* entry = _r_debug.r_map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED && std::string_view(texts + entry->d_un.d_val).starts_with("libmpi"))
      return true;
  }
  return false;
}

/// Returns whether the file of the executable contains the name MPI_Init_thread.
bool has_mpi_inside() noexcept {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const off_t end = lseek(file, 0, SEEK_END);
  if (end <= 0) return false;
  const auto size = static_cast<std::size_t>(end);
  void* const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED) return false;
  constexpr std::string_view name = "MPI_Init_thread";
  const bool found = memmem(bytes, size, name.data(), name.size()) != nullptr;
  munmap(bytes, size);
  return found;
}

/// If is_asked(), prints that the program has MPI linked to it statically, so that the library sees no call.
void say_if_static() noexcept {
  if (entered() || !is_asked_at_rank_0() || is_in_executable() || is_linked_to_mpi() || !has_mpi_inside())
    return;
  try {
    say_not_engaged("the program has MPI linked to it statically, so that the library sees none of its calls",
                    "Link it to the shared library of MPI, or to libmpi_helper.a");
  } catch (const std::bad_alloc&) {
    // The program has ended anyway.
  }
}

// Lets say_at_end() recognise a forked child, which does not use MPI.
const pid_t own_process = getpid();

[[gnu::destructor]] void say_at_end() noexcept {
  if (getpid() != own_process) return;
  say_if_unseen();
  say_if_static();
}

} // namespace

void stay_idle(Why why) {
  const int rank = native::are_predefined() ? ranks::world::own_rank() : models::own_rank();
  idle.is_rank_0.store(rank == 0, std::memory_order_relaxed);
  Why before = Why::not_yet;
  idle.why.compare_exchange_strong(before, why, std::memory_order_release, std::memory_order_relaxed);
  say_why_idle();
}

void say_why_idle() {
  const Why why = idle.why.load(std::memory_order_acquire);
  const bool asked = is_asked();
  if ((asked || expects_phases()) && speaks(why, asked) &&
      !idle.has_been_said.exchange(true, std::memory_order_relaxed))
    say(why);
}

void say_if_unseen() noexcept {
  if (entered() || idle.has_been_said.load(std::memory_order_relaxed) || !has_mpi_begun() ||
      idle.has_been_said.exchange(true, std::memory_order_relaxed))
    return;
  try {
    const int rank = native::are_predefined() ? ranks::world::own_rank() : settings::rank_by_launcher();
    if (rank == 0 && is_asked())
      say_not_engaged("it has not seen the program initialise MPI" + what_stands_before(),
                      "Link or preload it before MPI, and before what looks up MPI's own functions");
  } catch (const std::bad_alloc&) {
    // The program continues anyway.
  }
}

bool is_asked() noexcept {
  try {
    const settings::Settings set = settings::read(settings::environment());
    return set.threads > 0 || set.stats || set.trace != "off" || set.advice || set.report;
  } catch (const std::invalid_argument&) {
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool is_asked_at_rank_0() noexcept {
  return settings::rank_by_launcher() == 0 && is_asked();
}

void say_not_engaged(const std::string& why, const std::string& what_to_do) {
  static std::once_flag once;
  std::call_once(once,
                 [&] { print("inactive, all communication is left to MPI: " + why + ". " + what_to_do); });
}

} // namespace helper::process
