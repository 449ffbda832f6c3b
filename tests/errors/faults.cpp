// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "errors/faults.hpp"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

namespace {

using test_support::Fault;

// The active fault of the thread that injected it. Other threads need none: jobs cannot fail, and waiting
// members make no calls that fail.
thread_local Fault fault;
thread_local int calls = 0;
thread_local bool fired = false;

bool fails(std::string_view function) {
  if (function != fault.function) return false;
  const int call = ++calls;
  if (call != fault.nth && !(fault.lasting && call > fault.nth)) return false;
  fired = true;
  return true;
}

/// The communicators of the last 4096 handles. Any thread may use it. It allocates nothing: that could fail.
template <class Handle>
class Notes {
public:
  void note(Handle handle, MPI_Comm comm) {
    const std::lock_guard lock(mutex_);
    pairs_[next_++ % pairs_.size()] = {handle, comm};
  }

  MPI_Comm comm_of(Handle handle) {
    const std::lock_guard lock(mutex_);
    for (std::size_t back = 1; back <= pairs_.size(); ++back) {
      const auto& [known, comm] = pairs_[(next_ - back) % pairs_.size()];
      if (known == handle) return comm;
    }
    return MPI_COMM_NULL;
  }

private:
  std::mutex mutex_; // guards pairs_ and next_
  std::array<std::pair<Handle, MPI_Comm>, 4096> pairs_{};
  std::size_t next_ = 0;
};

Notes<MPI_Request> requests; // give the error handler of a request
Notes<MPI_Comm> parents;     // of communicators that PMPI_Comm_create made

/// Returns whether the fault concerns calls on `comm`. It concerns no calls with MPI_COMM_NULL.
bool concerns(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || comm == fault.spared) return false;
  return fault.made_of == MPI_COMM_NULL || parents.comm_of(comm) == fault.made_of;
}

/// Reports an error as MPI does for a failed call on `comm`.
int fail(MPI_Comm comm) {
  PMPI_Comm_call_errhandler(comm, test_support::injected_class);
  return test_support::injected_class;
}

/// Calls the function of MPICH, or fails if the fault says so. `Function` only provides the type.
template <auto Function, class... Arguments>
int forward(const char* name, MPI_Comm comm, Arguments... arguments) {
  static const auto real = reinterpret_cast<decltype(Function)>(dlsym(RTLD_NEXT, name));
  return concerns(comm) && fails(name) ? fail(comm) : real(arguments...);
}

/// Like forward(), for functions that start a request. MPICH uses one handle for all requests of a kind that
/// are complete from the start, mainly small sends. Their communicator is unknown, so their completion does
/// not fail. Receives are not tested here: MPI would make progress on them before the next call fails.
template <auto Function, class... Arguments>
int forward_start(const char* name, MPI_Comm comm, MPI_Request* request, Arguments... arguments) {
  const int code = forward<Function>(name, comm, arguments..., request);
  if (code != MPI_SUCCESS) return code;
  int is_complete = 0;
  if (std::string_view(name).find("recv") == std::string_view::npos)
    PMPI_Request_get_status(*request, &is_complete, MPI_STATUS_IGNORE);
  requests.note(*request, is_complete != 0 ? MPI_COMM_NULL : comm);
  return code;
}

/// Returns whether the handler of MPI_COMM_WORLD is MPI_ERRORS_RETURN. MPI_Test of MPICH calls that handler
/// for every request. If it is another one, the fault calls the handler of the request's communicator.
bool world_is_quiet() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  const bool is_quiet = handler == MPI_ERRORS_RETURN;
  PMPI_Errhandler_free(&handler);
  return is_quiet;
}

/// Like forward(), for functions that complete a request.
template <auto Function, class... Arguments>
int forward_completion(const char* name, MPI_Request* request, Arguments... arguments) {
  const MPI_Comm comm = fault.function == name ? requests.comm_of(*request) : MPI_COMM_NULL;
  if (concerns(comm) && fails(name)) return fail(world_is_quiet() ? MPI_COMM_WORLD : comm);
  return forward<Function>(name, MPI_COMM_NULL, request, arguments...);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  void* const memory = bytes >= fault.least && fails("operator new")
                           ? nullptr
                           : std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

} // namespace

namespace test_support {

Injected::Injected(const Fault& wanted) {
  calls = 0;
  ::fired = false;
  fault = wanted;
}

void Injected::remove() {
  fault = {};
}

bool Injected::fired() const {
  return ::fired;
}

} // namespace test_support

void* operator new(std::size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

extern "C" {

int PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return forward_start<PMPI_Isend>("PMPI_Isend", comm, request, data, count, type, to, tag, comm);
}

int PMPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return forward_start<PMPI_Irecv>("PMPI_Irecv", comm, request, data, count, type, from, tag, comm);
}

int PMPI_Isend_c(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return forward_start<PMPI_Isend_c>("PMPI_Isend_c", comm, request, data, count, type, to, tag, comm);
}

int PMPI_Irecv_c(void* data, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return forward_start<PMPI_Irecv_c>("PMPI_Irecv_c", comm, request, data, count, type, from, tag, comm);
}

int PMPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Request* request) {
  return forward_start<PMPI_Iallreduce>("PMPI_Iallreduce", comm, request, send, receive, count, type, op,
                                        comm);
}

int PMPI_Ireduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm comm, MPI_Request* request) {
  return forward_start<PMPI_Ireduce>("PMPI_Ireduce", comm, request, send, receive, count, type, op, root,
                                     comm);
}

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return forward_start<PMPI_Ibarrier>("PMPI_Ibarrier", comm, request, comm);
}

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return forward_completion<PMPI_Test>("PMPI_Test", request, flag, status);
}

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  return forward_completion<PMPI_Wait>("PMPI_Wait", request, status);
}

// The library calls these functions only with MPICH 4.0 (native/quirks.hpp).
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000 && MPICH_NUMVERSION < 40100000

int PMPI_Psend_init(const void* data, int partitions, MPI_Count count, MPI_Datatype type, int to, int tag,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return forward<PMPI_Psend_init>("PMPI_Psend_init", comm, data, partitions, count, type, to, tag, comm, info,
                                  request);
}

int PMPI_Precv_init(void* data, int partitions, MPI_Count count, MPI_Datatype type, int from, int tag,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return forward<PMPI_Precv_init>("PMPI_Precv_init", comm, data, partitions, count, type, from, tag, comm,
                                  info, request);
}

#endif

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return forward<PMPI_Iprobe>("PMPI_Iprobe", comm, source, tag, comm, flag, status);
}

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  return forward<PMPI_Improbe>("PMPI_Improbe", comm, source, tag, comm, flag, message, status);
}

int PMPI_Mrecv_c(void* data, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  return forward<PMPI_Mrecv_c>("PMPI_Mrecv_c", MPI_COMM_WORLD, data, count, type, message, status);
}

int PMPI_Imrecv_c(void* data, MPI_Count count, MPI_Datatype type, MPI_Message* message,
                  MPI_Request* request) {
  return forward_start<PMPI_Imrecv_c>("PMPI_Imrecv_c", MPI_COMM_WORLD, request, data, count, type, message);
}

int PMPI_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                        MPI_Grequest_cancel_function* cancel, void* state, MPI_Request* request) {
  return forward<PMPI_Grequest_start>("PMPI_Grequest_start", MPI_COMM_WORLD, query, free, cancel, state,
                                      request);
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  const int code = forward<PMPI_Comm_create>("PMPI_Comm_create", comm, comm, group, made);
  if (code == MPI_SUCCESS) parents.note(*made, comm);
  return code;
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  return forward<PMPI_Comm_group>("PMPI_Comm_group", comm, comm, group);
}

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* is_set) {
  return forward<PMPI_Comm_get_attr>("PMPI_Comm_get_attr", comm, comm, key, value, is_set);
}

int PMPI_Comm_set_attr(MPI_Comm comm, int key, void* value) {
  return forward<PMPI_Comm_set_attr>("PMPI_Comm_set_attr", comm, comm, key, value);
}

int PMPI_Pack_c(const void* data, MPI_Count count, MPI_Datatype type, void* packed, MPI_Count size,
                MPI_Count* position, MPI_Comm comm) {
  return forward<PMPI_Pack_c>("PMPI_Pack_c", comm, data, count, type, packed, size, position, comm);
}

int PMPI_Unpack_c(const void* packed, MPI_Count size, MPI_Count* position, void* data, MPI_Count count,
                  MPI_Datatype type, MPI_Comm comm) {
  return forward<PMPI_Unpack_c>("PMPI_Unpack_c", comm, packed, size, position, data, count, type, comm);
}

} // extern "C"

// For AddressSanitizer, which does not know the operators above. Leaks are intended: after a failure MPI may
// still access staging, which is never freed.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "alloc_dealloc_mismatch=0:detect_leaks=0";
}
