// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

/** @file
 * Helper teams for MPI: the C++20 interface. mpi_helper.h specifies the functions, their callers and their
 * errors. Here objects own their handles, and a phase ends with its scope. Datatypes and counts are taken
 * from contiguous ranges: std::span, std::vector, arrays.
 *
 * The last parameter of most functions is a std::error_code that gets the MPI error. Without this argument,
 * errors are thrown as std::system_error. The MPI error handler is called first, and by default it ends the
 * program. MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) lets the program see errors.
 */
#pragma once

#include <mpi_helper.h>

#include <compare>
#include <complex>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <ranges>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace mpi_helper {

/// The category of MPI error codes. A code equals the condition of its class: `error ==
/// std::error_condition(MPI_ERR_ARG, mpi_category())`.
inline const std::error_category& mpi_category() noexcept {
  class Category final : public std::error_category {
  public:
    const char* name() const noexcept override { return "MPI"; }
    std::string message(int code) const override {
      std::string text(MPI_MAX_ERROR_STRING, '\0');
      int length = 0;
      MPI_Error_string(code, text.data(), &length);
      text.resize(static_cast<std::size_t>(length));
      return text;
    }
    std::error_condition default_error_condition(int code) const noexcept override {
      int error_class = code;
      MPI_Error_class(code, &error_class);
      return {error_class, *this};
    }
  };
  static const Category category;
  return category;
}

/// A version. Compare versions as in `mpi_helper::library_version() >= mpi_helper::version{1, 0, 0}`.
struct version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  friend auto operator<=>(const version&, const version&) = default;
};

/// The version of the headers.
inline constexpr version header_version{MPIX_HELPER_VERSION_MAJOR, MPIX_HELPER_VERSION_MINOR,
                                        MPIX_HELPER_VERSION_PATCH};

/// The version of the library that the program runs with.
inline version library_version() noexcept {
  version found;
  MPIX_Helper_version(&found.major, &found.minor, &found.patch);
  return found;
}

/// The default argument for a std::error_code: errors are thrown. Nothing is ever stored in it.
inline std::error_code throws;

/// Returns the MPI datatype of `T`. Programs may specialise it for their own types.
template <class T>
MPI_Datatype datatype() {
  // clang-format off
  if constexpr (std::is_same_v<T, char>) return MPI_CHAR;
  else if constexpr (std::is_same_v<T, signed char>) return MPI_SIGNED_CHAR;
  else if constexpr (std::is_same_v<T, unsigned char>) return MPI_UNSIGNED_CHAR;
  else if constexpr (std::is_same_v<T, std::byte>) return MPI_BYTE;
  else if constexpr (std::is_same_v<T, bool>) return MPI_CXX_BOOL;
  else if constexpr (std::is_same_v<T, wchar_t>) return MPI_WCHAR;
  else if constexpr (std::is_same_v<T, short>) return MPI_SHORT;
  else if constexpr (std::is_same_v<T, unsigned short>) return MPI_UNSIGNED_SHORT;
  else if constexpr (std::is_same_v<T, int>) return MPI_INT;
  else if constexpr (std::is_same_v<T, unsigned>) return MPI_UNSIGNED;
  else if constexpr (std::is_same_v<T, long>) return MPI_LONG;
  else if constexpr (std::is_same_v<T, unsigned long>) return MPI_UNSIGNED_LONG;
  else if constexpr (std::is_same_v<T, long long>) return MPI_LONG_LONG;
  else if constexpr (std::is_same_v<T, unsigned long long>) return MPI_UNSIGNED_LONG_LONG;
  else if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
  else if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  else if constexpr (std::is_same_v<T, long double>) return MPI_LONG_DOUBLE;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return MPI_CXX_FLOAT_COMPLEX;
  else if constexpr (std::is_same_v<T, std::complex<double>>) return MPI_CXX_DOUBLE_COMPLEX;
  else if constexpr (std::is_same_v<T, std::complex<long double>>) return MPI_CXX_LONG_DOUBLE_COMPLEX;
  else static_assert(sizeof(T) == 0, "specialise mpi_helper::datatype for this type");
  // clang-format on
}

/// A contiguous range to read from.
template <class Range>
concept source = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range>;

/// A contiguous range whose elements can be written.
template <class Range>
concept target =
    source<Range> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

/// A contiguous range whose elements can be written and have the type of the elements of `Source`.
template <class Range, class Source>
concept target_of =
    target<Range> && std::is_same_v<std::ranges::range_value_t<Range>, std::ranges::range_value_t<Source>>;

/// Nothing in this namespace is for programs.
namespace detail {

inline void check(int code, std::error_code& error) {
  const std::error_code result(code, mpi_category());
  if (&error != &throws)
    error = result;
  else if (result)
    throw std::system_error(result);
}

/// Returns the size of a range as an MPI count. A size that does not fit into an int becomes -1, which MPI
/// rejects at all participants.
template <source Range>
int count(const Range& range) {
  const auto size = std::ranges::size(range);
  return std::in_range<int>(size) ? static_cast<int>(size) : -1;
}

/// Returns the common size of two ranges as an MPI count, or -1 if their sizes differ.
template <source First, source Second>
int count(const First& first, const Second& second) {
  return std::ranges::size(first) == std::ranges::size(second) ? count(first) : -1;
}

template <source Range>
MPI_Datatype datatype_of(const Range&) {
  return datatype<std::ranges::range_value_t<Range>>();
}

/// Owns a handle, an integer that is 0 if there is none. The destructor frees the handle with `Free`.
template <auto Free>
class Owned {
public:
  Owned() = default;
  Owned(Owned&& other) noexcept : handle(std::exchange(other.handle, 0)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Owned() {
    if (handle != 0) Free(&handle);
  }

  int handle = 0;
};

} // namespace detail

/// A phase of the thread that called team::join(), from JOIN to LEAVE. The destructor calls LEAVE, also if an
/// exception ends the scope, and discards errors. Call leave() to get them.
class [[nodiscard]] phase {
public:
  phase(phase&& other) noexcept : team_(std::exchange(other.team_, MPI_HELPER_TEAM_NULL)) {}
  phase& operator=(phase&&) = delete;
  ~phase() {
    if (team_ != MPI_HELPER_TEAM_NULL) MPI_Helper_leave(team_);
  }

  /// Calls LEAVE. Afterwards the phase has ended, even after an error.
  void leave(std::error_code& error = throws) {
    detail::check(MPI_Helper_leave(std::exchange(team_, MPI_HELPER_TEAM_NULL)), error);
  }

  void fence(std::error_code& error = throws) { detail::check(MPI_Helper_fence(team_), error); }

  /// Calls MPIX_Helper_allreduce. The error is MPI_ERR_COUNT if the ranges differ in size.
  template <source Send, target_of<Send> Receive>
  void allreduce(const Send& send, Receive&& receive, MPI_Op op, MPI_Comm comm,
                 std::error_code& error = throws) {
    detail::check(MPIX_Helper_allreduce(team_, std::ranges::data(send), std::ranges::data(receive),
                                        detail::count(send, receive), detail::datatype_of(send), op, comm),
                  error);
  }

  /// Calls MPIX_Helper_allreduce with MPI_IN_PLACE: `data` is the contribution and gets the result.
  template <target Data>
  void allreduce(Data&& data, MPI_Op op, MPI_Comm comm, std::error_code& error = throws) {
    detail::check(MPIX_Helper_allreduce(team_, MPI_IN_PLACE, std::ranges::data(data), detail::count(data),
                                        detail::datatype_of(data), op, comm),
                  error);
  }

  /// Calls MPIX_Helper_reduce_scatter_block. `send` has a block of the size of `receive` for each member of
  /// each rank.
  template <source Send, target_of<Send> Receive>
  void reduce_scatter_block(const Send& send, Receive&& receive, MPI_Op op, MPI_Comm comm,
                            std::error_code& error = throws) {
    detail::check(MPIX_Helper_reduce_scatter_block(team_, std::ranges::data(send), std::ranges::data(receive),
                                                   detail::count(receive), detail::datatype_of(send), op,
                                                   comm),
                  error);
  }

  /// Calls MPIX_Helper_allgather. `receive` has a block of the size of `send` for each member of each rank.
  template <source Send, target_of<Send> Receive>
  void allgather(const Send& send, Receive&& receive, MPI_Comm comm, std::error_code& error = throws) {
    detail::check(MPIX_Helper_allgather(team_, std::ranges::data(send), std::ranges::data(receive),
                                        detail::count(send), detail::datatype_of(send), comm),
                  error);
  }

  template <target Data>
  void bcast(Data&& data, int root, MPI_Comm comm, std::error_code& error = throws) {
    detail::check(MPIX_Helper_bcast(team_, std::ranges::data(data), detail::count(data),
                                    detail::datatype_of(data), root, comm),
                  error);
  }

  void barrier(MPI_Comm comm, std::error_code& error = throws) {
    detail::check(MPIX_Helper_barrier(team_, comm), error);
  }

  /// Calls MPIX_Helper_for, which runs body(begin, end) for each piece. Throws the first exception of `body`.
  template <class Body>
  void for_pieces(MPI_Count begin, MPI_Count end, MPI_Count grain, Body&& body,
                  std::error_code& error = throws) {
    auto* called = std::addressof(body);
    const auto call = [](MPI_Count from, MPI_Count to, void* data) {
      (**static_cast<decltype(called)*>(data))(from, to);
    };
    detail::check(MPIX_Helper_for(team_, begin, end, grain, call, &called), error);
  }

private:
  friend class team;
  explicit phase(MPI_Helper_team team) : team_(team) {}

  MPI_Helper_team team_;
};

/// A member's handle to a team. Only the thread that made it may use and destroy it. Destroy it after its
/// phases have ended.
class team {
public:
  /// Calls CREATE.
  team(int id, int size, MPI_Info info = MPI_INFO_NULL, std::error_code& error = throws) {
    detail::check(MPIX_Helper_team_create_info(id, size, info, &owned_.handle), error);
  }

  /// Calls JOIN. With `auto phase = team.join();` the phase lasts to the end of the scope. After an error the
  /// thread is in no phase.
  phase join(std::error_code& error = throws) const {
    const int code = MPI_Helper_join(owned_.handle);
    detail::check(code, error);
    return phase(code == MPI_SUCCESS ? owned_.handle : MPI_HELPER_TEAM_NULL);
  }

  /// Calls FREE. Without this call the destructor calls FREE and discards errors.
  void free(std::error_code& error = throws) { detail::check(MPI_Helper_team_free(&owned_.handle), error); }

  MPI_Helper_team handle() const { return owned_.handle; }

private:
  detail::Owned<MPI_Helper_team_free> owned_;
};

/// Calls MPIX_Helper_type_create with the functions packing.pack(buffer, offset, length, target) and
/// packing.unpack(buffer, offset, length, source). The caller must free the datatype before it destroys
/// `packing`.
template <class Packing>
MPI_Datatype type_create(Packing& packing, MPI_Count bytes, std::error_code& error = throws) {
  const auto pack = [](const void* buffer, MPI_Count offset, MPI_Count length, void* target, void* data) {
    static_cast<Packing*>(data)->pack(buffer, offset, length, target);
  };
  const auto unpack = [](void* buffer, MPI_Count offset, MPI_Count length, const void* source, void* data) {
    static_cast<Packing*>(data)->unpack(buffer, offset, length, source);
  };
  MPI_Datatype type = MPI_DATATYPE_NULL;
  detail::check(MPIX_Helper_type_create(pack, unpack, bytes, &packing, &type), error);
  return type;
}

/// Allocates with MPIX_Helper_alloc on MPI_COMM_WORLD. Use it as in
/// `std::vector<double, mpi_helper::allocator<double>>`.
template <class T>
struct allocator {
  using value_type = T;

  allocator() = default;
  template <class U>
  allocator(const allocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(std::numeric_limits<MPI_Aint>::max()) / sizeof(T))
      throw std::bad_array_new_length();
    T* memory = nullptr;
    const auto size = static_cast<MPI_Aint>(count * sizeof(T));
    if (MPIX_Helper_alloc(size, MPI_INFO_NULL, MPI_COMM_WORLD, &memory) != MPI_SUCCESS)
      throw std::bad_alloc();
    return memory;
  }

  void deallocate(T* memory, std::size_t) noexcept { MPIX_Helper_free(memory); }

  template <class U>
  bool operator==(const allocator<U>&) const noexcept {
    return true;
  }
};

/// Calls MPIX_Group_comm_create_info. The caller must free the communicator.
inline MPI_Comm group_comm_create(MPI_Comm comm, MPI_Group group, int tag, MPI_Info info = MPI_INFO_NULL,
                                  std::error_code& error = throws) {
  MPI_Comm created = MPI_COMM_NULL;
  detail::check(MPIX_Group_comm_create_info(comm, group, tag, info, &created), error);
  return created;
}

/// A handle to a system-ranked group, or to none (false). Non-blocking operations return MPI requests.
/// Complete a request before the data of its operation are destroyed.
class sysgroup {
public:
  sysgroup() = default;

  /// Calls MPIX_Sysgroup_from_comm.
  explicit sysgroup(MPI_Comm comm, MPI_Info info = MPI_INFO_NULL, std::error_code& error = throws) {
    detail::check(MPIX_Sysgroup_from_comm(comm, info, &owned_.handle), error);
  }

  /// Calls MPIX_Sysgroup_enroll. Returns no group at members that do not participate.
  sysgroup enroll(bool participate, MPI_Info info = MPI_INFO_NULL, std::error_code& error = throws) const {
    sysgroup made;
    detail::check(MPIX_Sysgroup_enroll(handle(), participate, info, &made.owned_.handle), error);
    return made;
  }

  /// Calls MPIX_Sysgroup_split. Returns no group at members whose color is MPI_UNDEFINED.
  sysgroup split(int color, MPI_Info info = MPI_INFO_NULL, std::error_code& error = throws) const {
    sysgroup made;
    detail::check(MPIX_Sysgroup_split(handle(), color, info, &made.owned_.handle), error);
    return made;
  }

  void free(std::error_code& error = throws) { detail::check(MPIX_Sysgroup_free(&owned_.handle), error); }

  explicit operator bool() const { return handle() != MPIX_SYSGROUP_NULL; }
  MPIX_Sysgroup handle() const { return owned_.handle; }

  int rank(std::error_code& error = throws) const { return ask<MPIX_Sysgroup_rank>(error); }
  int size(std::error_code& error = throws) const { return ask<MPIX_Sysgroup_size>(error); }
  int depth(std::error_code& error = throws) const { return ask<MPIX_Sysgroup_depth>(error); }
  int parent(std::error_code& error = throws) const { return ask<MPIX_Sysgroup_parent>(error); }

  std::vector<int> children(std::error_code& error = throws) const {
    int count = 0;
    detail::check(MPIX_Sysgroup_children(handle(), 0, &count, nullptr), error);
    std::vector<int> ranks(static_cast<std::size_t>(count));
    if (count > 0) detail::check(MPIX_Sysgroup_children(handle(), count, &count, ranks.data()), error);
    return ranks;
  }

  /// Calls MPIX_Sysgroup_to_comm. The caller must free the communicator.
  MPI_Comm to_comm(std::error_code& error = throws) const {
    return ask<MPIX_Sysgroup_to_comm>(error, MPI_COMM_NULL);
  }

  void barrier(std::error_code& error = throws) const {
    detail::check(MPIX_Sysgroup_barrier(handle()), error);
  }

  template <target Data>
  void bcast(Data&& data, int root, std::error_code& error = throws) const {
    detail::check(MPIX_Sysgroup_bcast(std::ranges::data(data), detail::count(data), detail::datatype_of(data),
                                      root, handle()),
                  error);
  }

  /// `receive` gets the result at `root`. At other ranks it may have any size and does not change.
  template <source Send, target_of<Send> Receive>
  void reduce(const Send& send, Receive&& receive, MPI_Op op, int root,
              std::error_code& error = throws) const {
    detail::check(MPIX_Sysgroup_reduce(std::ranges::data(send), std::ranges::data(receive),
                                       count_for(root, send, receive), detail::datatype_of(send), op, root,
                                       handle()),
                  error);
  }

  template <source Send, target_of<Send> Receive>
  void allreduce(const Send& send, Receive&& receive, MPI_Op op, std::error_code& error = throws) const {
    detail::check(MPIX_Sysgroup_allreduce(std::ranges::data(send), std::ranges::data(receive),
                                          detail::count(send, receive), detail::datatype_of(send), op,
                                          handle()),
                  error);
  }

  /// Calls MPIX_Sysgroup_allreduce with MPI_IN_PLACE: `data` is the contribution and gets the result.
  template <target Data>
  void allreduce(Data&& data, MPI_Op op, std::error_code& error = throws) const {
    detail::check(MPIX_Sysgroup_allreduce(MPI_IN_PLACE, std::ranges::data(data), detail::count(data),
                                          detail::datatype_of(data), op, handle()),
                  error);
  }

  /// At `root`, `receive` has a block of the size of `send` for each member. At other ranks it may have any
  /// size and does not change.
  template <source Send, target_of<Send> Receive>
  void gather(const Send& send, Receive&& receive, int root, std::error_code& error = throws) const {
    detail::check(MPIX_Sysgroup_gather(std::ranges::data(send), detail::count(send),
                                       detail::datatype_of(send), std::ranges::data(receive),
                                       detail::count(send), detail::datatype_of(send), root, handle()),
                  error);
  }

  /// `receive` has a block of the size of `send` for each member.
  template <source Send, target_of<Send> Receive>
  void allgather(const Send& send, Receive&& receive, std::error_code& error = throws) const {
    detail::check(MPIX_Sysgroup_allgather(std::ranges::data(send), detail::count(send),
                                          detail::datatype_of(send), std::ranges::data(receive),
                                          detail::count(send), detail::datatype_of(send), handle()),
                  error);
  }

  template <source Send, target_of<Send> Receive>
  void scan(const Send& send, Receive&& receive, MPI_Op op, std::error_code& error = throws) const {
    detail::check(MPIX_Sysgroup_scan(std::ranges::data(send), std::ranges::data(receive),
                                     detail::count(send, receive), detail::datatype_of(send), op, handle()),
                  error);
  }

  /// Calls MPIX_Sysgroup_scan with MPI_IN_PLACE: `data` is the contribution and gets the result.
  template <target Data>
  void scan(Data&& data, MPI_Op op, std::error_code& error = throws) const {
    detail::check(MPIX_Sysgroup_scan(MPI_IN_PLACE, std::ranges::data(data), detail::count(data),
                                     detail::datatype_of(data), op, handle()),
                  error);
  }

  template <source Data>
  void send(const Data& data, int dest, int tag, std::error_code& error = throws) const {
    detail::check(MPIX_Sysgroup_send(std::ranges::data(data), detail::count(data), detail::datatype_of(data),
                                     dest, tag, handle()),
                  error);
  }

  template <target Data>
  MPI_Status recv(Data&& data, int source, int tag, std::error_code& error = throws) const {
    MPI_Status status{};
    detail::check(MPIX_Sysgroup_recv(std::ranges::data(data), detail::count(data), detail::datatype_of(data),
                                     source, tag, handle(), &status),
                  error);
    return status;
  }

  MPI_Request ibarrier(std::error_code& error = throws) const {
    return ask<MPIX_Sysgroup_ibarrier>(error, MPI_REQUEST_NULL);
  }

  template <target Data>
  MPI_Request ibcast(Data&& data, int root, std::error_code& error = throws) const {
    MPI_Request request = MPI_REQUEST_NULL;
    detail::check(MPIX_Sysgroup_ibcast(std::ranges::data(data), detail::count(data),
                                       detail::datatype_of(data), root, handle(), &request),
                  error);
    return request;
  }

  /// `receive` gets the result at `root`. At other ranks it may have any size and does not change.
  template <source Send, target_of<Send> Receive>
  MPI_Request ireduce(const Send& send, Receive&& receive, MPI_Op op, int root,
                      std::error_code& error = throws) const {
    MPI_Request request = MPI_REQUEST_NULL;
    detail::check(MPIX_Sysgroup_ireduce(std::ranges::data(send), std::ranges::data(receive),
                                        count_for(root, send, receive), detail::datatype_of(send), op, root,
                                        handle(), &request),
                  error);
    return request;
  }

  template <source Send, target_of<Send> Receive>
  MPI_Request iallreduce(const Send& send, Receive&& receive, MPI_Op op,
                         std::error_code& error = throws) const {
    MPI_Request request = MPI_REQUEST_NULL;
    detail::check(MPIX_Sysgroup_iallreduce(std::ranges::data(send), std::ranges::data(receive),
                                           detail::count(send, receive), detail::datatype_of(send), op,
                                           handle(), &request),
                  error);
    return request;
  }

private:
  /// Returns the value that `Function` stores for the group, or `answer` if it stores none.
  template <auto Function, class Answer = int>
  Answer ask(std::error_code& error, Answer answer = 0) const {
    detail::check(Function(handle(), &answer), error);
    return answer;
  }

  /// Returns the size of `send` as the count of a reduction. Returns -1 at `root` if `receive` differs in
  /// size.
  template <source Send, source Receive>
  int count_for(int root, const Send& send, const Receive& receive) const {
    int rank = MPI_PROC_NULL;
    MPIX_Sysgroup_rank(handle(), &rank);
    return rank == root ? detail::count(send, receive) : detail::count(send);
  }

  detail::Owned<MPIX_Sysgroup_free> owned_;
};

} // namespace mpi_helper

/// The C++ binding of the proposal, in the style of MPI-2. Errors are thrown as std::system_error.
namespace MPI::Helper {

class Team {
public:
  static Team Create(int team_id, int team_size) {
    Team team;
    mpi_helper::detail::check(MPI_Helper_team_create(team_id, team_size, &team.handle_), mpi_helper::throws);
    return team;
  }
  static void Free(Team& team) {
    mpi_helper::detail::check(MPI_Helper_team_free(&team.handle_), mpi_helper::throws);
  }

private:
  friend void Join(Team team);
  friend void Leave(Team team);
  friend void Fence(Team team);

  MPI_Helper_team handle_ = MPI_HELPER_TEAM_NULL;
};

inline void Join(Team team) {
  mpi_helper::detail::check(MPI_Helper_join(team.handle_), mpi_helper::throws);
}

inline void Leave(Team team) {
  mpi_helper::detail::check(MPI_Helper_leave(team.handle_), mpi_helper::throws);
}

inline void Fence(Team team) {
  mpi_helper::detail::check(MPI_Helper_fence(team.handle_), mpi_helper::throws);
}

} // namespace MPI::Helper
