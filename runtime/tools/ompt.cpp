// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The tool that OpenMP runtimes with OMPT find, if MPI_HELPER_THREADS=openmp. It tells team::OpenmpThread
// what threads do. The declarations are from OpenMP 5.0, with opaque pointers for data of tools.

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <sstream>
#include <string>
#include <string_view>

#include "team/openmp_thread.hpp"
#include "tools/openmp.hpp"

/// OMPT supports one tool per process: the library. The library loads the tool that the runtime would have
/// found otherwise. The library handles three events, after passing each on to that tool. It leaves all other
/// events and all data pointers to that tool.
namespace helper::tools::ompt {

using Function = void (*)();
using Lookup = Function (*)(const char* name);

/// ompt_start_tool_result_t. Its last member belongs to the tool.
struct Tool {
  int (*initialize)(Lookup lookup, int initial_device, std::uint64_t* data);
  void (*finalize)(std::uint64_t* data);
  std::uint64_t data;
};
using StartTool = Tool* (*)(unsigned version, const char* runtime);

namespace {

enum { task_create = 5, implicit_task = 7, sync_region = 23 }; // ompt_callbacks_t
constexpr int scope_begin = 1;                                 // of ompt_scope_endpoint_t
enum {                                                         // ompt_sync_region_t
  barrier_implementation = 4,                                  // the last of the barriers in OpenMP 5.0
  barrier_implicit_workshare = 8,
  barrier_teams = 10 // the last of the barriers in OpenMP 5.1
};
constexpr unsigned task_initial = 1; // of ompt_task_flag_t

// One thread writes it, while the runtime starts.
constinit struct {
  Tool* other = nullptr;
  Lookup lookup = nullptr; // in the runtime
} begun;

/// Calls a function of the runtime.
template <class... Arguments>
int call(const char* name, Arguments... arguments) {
  return reinterpret_cast<int (*)(Arguments...)>(begun.lookup(name))(arguments...);
}

/// An event that the runtime reports to the library, and the library to the other tool.
class Heard {
public:
  constexpr explicit Heard(int event) noexcept : event_(event) {}

  bool is(int event) const noexcept { return event == event_; }

  /// Makes the runtime call the library's function.
  template <class Callback>
  void begin(Callback own) {
    set_ = call("ompt_set_callback", event_, reinterpret_cast<Function>(own));
  }

  /// Sets the other tool's function. Returns the runtime's answer when begin() set the library's own.
  int set_next(Function callback) noexcept {
    next_.store(callback, std::memory_order_release);
    return set_;
  }
  Function next() const noexcept { return next_.load(std::memory_order_acquire); }

  template <class... Arguments>
  void pass_on(Arguments... arguments) const {
    if (const Function callback = next()) reinterpret_cast<void (*)(Arguments...)>(callback)(arguments...);
  }

private:
  const int event_;
  int set_ = 0;
  // Release and acquire: a thread that finds the function also finds what the other tool has prepared for it.
  std::atomic<Function> next_{nullptr};
};
constinit struct {
  Heard task_creations{task_create};
  Heard implicit_tasks{implicit_task};
  Heard sync_regions{sync_region};
} events;

Heard* find_heard(int event) noexcept {
  for (Heard* const heard : {&events.task_creations, &events.implicit_tasks, &events.sync_regions})
    if (heard->is(event)) return heard;
  return nullptr;
}

void on_task_create(void* encountering, const void* frame, void* task, int flags, int has_dependences,
                    const void* place) {
  events.task_creations.pass_on(encountering, frame, task, flags, has_dependences, place);
  if ((static_cast<unsigned>(flags) & task_initial) != 0) return;
  if (team::OpenmpThread* const self = team::OpenmpThread::own()) self->creates_task();
}

void on_implicit_task(int endpoint, void* region, void* task, unsigned threads, unsigned index, int flags) {
  events.implicit_tasks.pass_on(endpoint, region, task, threads, index, flags);
  if ((static_cast<unsigned>(flags) & task_initial) != 0) return;
  team::OpenmpThread* const self = team::OpenmpThread::own();
  if (self == nullptr) return;
  if (endpoint == scope_begin)
    self->begins(region, static_cast<int>(threads), static_cast<int>(index));
  else
    self->ends();
}

void on_sync_region(int kind, int endpoint, void* region, void* task, const void* place) {
  events.sync_regions.pass_on(kind, endpoint, region, task, place);
  const bool is_barrier =
      kind <= barrier_implementation || (kind >= barrier_implicit_workshare && kind <= barrier_teams);
  if (endpoint != scope_begin || !is_barrier) return;
  team::OpenmpThread* const self = team::OpenmpThread::own();
  if (self == nullptr) return;
  // At the end of a region LLVM's runtime passes a place only to the thread that opened it. So no thread
  // uses one there, except with OpenMP 5.0, which has one kind for all implicit barriers.
  self->comes_to_barrier(kind > barrier_implicit_workshare ? nullptr : place);
}

/// The other tool gets these two functions instead of the runtime's functions.
int set_callback(int event, Function callback) {
  if (Heard* const heard = find_heard(event)) return heard->set_next(callback);
  return call("ompt_set_callback", event, callback);
}

int get_callback(int event, Function* callback) {
  const Heard* const heard = find_heard(event);
  if (heard == nullptr) return call("ompt_get_callback", event, callback);
  *callback = heard->next();
  return *callback != nullptr ? 1 : 0;
}

Function look_up(const char* name) {
  if (name == std::string_view("ompt_set_callback")) return reinterpret_cast<Function>(set_callback);
  if (name == std::string_view("ompt_get_callback")) return reinterpret_cast<Function>(get_callback);
  return begun.lookup(name);
}

int initialize(Lookup lookup, int initial_device, std::uint64_t*) {
  begun.lookup = lookup;
  events.task_creations.begin(on_task_create);
  events.implicit_tasks.begin(on_implicit_task);
  events.sync_regions.begin(on_sync_region);
  if (begun.other != nullptr && begun.other->initialize(look_up, initial_device, &begun.other->data) == 0)
    begun.other = nullptr;
  return 1;
}

void finalize(std::uint64_t*) {
  if (begun.other != nullptr) begun.other->finalize(&begun.other->data);
}

constinit Tool own{initialize, finalize, 0};

/// Returns the tool that ompt_start_tool() of an object starts, if any.
Tool* tool_of(void* object, unsigned version, const char* runtime) {
  void* const start = object == nullptr ? nullptr : dlsym(object, "ompt_start_tool");
  return start == nullptr ? nullptr : reinterpret_cast<StartTool>(start)(version, runtime);
}

/// Returns the tool that the runtime would have without the library, if any.
Tool* find_other(unsigned version, const char* runtime) {
  if (Tool* const next = tool_of(RTLD_NEXT, version, runtime)) return next;
  const char* const set = std::getenv("OMP_TOOL_LIBRARIES");
  // The last path is LLVM's tool, which is active in programs compiled for ThreadSanitizer.
  std::istringstream paths((set != nullptr ? std::string(set) + ":" : std::string()) + "libarcher.so");
  for (std::string path; std::getline(paths, path, ':');) {
    if (path.empty()) continue;
    if (Tool* const found = tool_of(dlopen(path.c_str(), RTLD_LAZY), version, runtime)) return found;
  }
  return nullptr;
}

} // namespace

} // namespace helper::tools::ompt

extern "C" helper::tools::ompt::Tool* ompt_start_tool(unsigned version, const char* runtime) noexcept;

/// Returns the tool to a runtime that starts. Runtimes without symbol versions, and tools that look for the
/// next tool, find the default version of this symbol. LLVM's and Intel's runtimes look for VERSION.
[[gnu::visibility("default")]] helper::tools::ompt::Tool* ompt_start_tool(unsigned version,
                                                                          const char* runtime) noexcept {
  using namespace helper::tools;
  static std::atomic<bool> is_tool{false}; // set by the first runtime that starts; it orders nothing
  if (!is_openmp_wanted() || is_tool.exchange(true, std::memory_order_relaxed))
    return ompt::tool_of(RTLD_NEXT, version, runtime);
  try {
    ompt::begun.other = ompt::find_other(version, runtime);
  } catch (const std::bad_alloc&) {
    // Without memory the other tool is not started.
  }
  return &ompt::own;
}
asm(".globl versioned_ompt_start_tool\n"
    ".set versioned_ompt_start_tool, ompt_start_tool\n"
    ".symver versioned_ompt_start_tool, ompt_start_tool@VERSION");
