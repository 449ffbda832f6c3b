// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The team carries blocking collectives if it can. Otherwise they use MPI's non-blocking form and lend the
// thread. So do constructors of communicators that have a non-blocking form.

#include <new>
#include <tuple>

#include "collective/collective.hpp"
#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "interpose/packed_exchange.hpp"
#include "message/packed_bytes.hpp"
#include "ranks/arguments.hpp"

using namespace helper;
using namespace helper::interpose;
using collective::carried;

namespace {

bool is_nothing(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count == 0) return true;
  MPI_Count element = 1;
  if (ranks::valid_data(buffer, count, type)) PMPI_Type_size_x(type, &element);
  return element == 0;
}

/// Returns whether `comm` is an inter-communicator. If it is no communicator, MPI reports the error.
bool is_inter(MPI_Comm comm) {
  int flag = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &flag);
  return flag != 0;
}

/// Lends the thread with the non-blocking form, except for a broadcast of no elements (quirk
/// empty_bcast_does_not_wait). All ranks must use the same form, since MPI counts its non-blocking
/// operations. So no rank lends on inter-communicators, where ranks that take no part may pass any count.
template <auto Start>
constexpr auto broadcast = [](team::Member& member, void* buffer, auto count, MPI_Datatype type, int root,
                              MPI_Comm comm) -> std::optional<int> {
  if (!is_nothing(buffer, count, type) && !is_inter(comm))
    return lend<Start>(member, buffer, count, type, root, comm);
  message::rescue();
  return std::nullopt;
};

/// Broadcasts, as bytes, data that the program packs with its own functions. Lends the thread in a phase.
constexpr auto broadcast_packed = [](team::Member& member, void* buffer, auto count, MPI_Datatype type,
                                     int root, MPI_Comm comm) -> std::optional<int> {
  if (!layout::has_functions(type) || comm == MPI_COMM_NULL) return std::nullopt;
  int rank = MPI_ROOT;
  if (!is_inter(comm)) PMPI_Comm_rank(comm, &rank);
  const auto bytes = ranks::charged_to(comm, [&] { return message::PackedBytes(buffer, count, type); });
  if (rank == root) bytes.load(member);
  const int code = bytes.give([&](int of_bytes, MPI_Datatype as) -> int {
    std::optional<int> lent;
    if (&member != &team::alone())
      lent = broadcast<PMPI_Ibcast>(member, bytes.data(), of_bytes, as, root, comm);
    return lent ? *lent : PMPI_Bcast(bytes.data(), of_bytes, as, root, comm);
  });
  if (code == MPI_SUCCESS && rank != root && root != MPI_PROC_NULL) bytes.store(member);
  return code;
};

/// Lends the thread in a neighbourhood collective, except with MPI 3.1: quirk confuses_equal_neighbours.
template <auto Start>
constexpr auto exchange = [](team::Member& member, auto... arguments) -> std::optional<int> {
  if constexpr (MPI_VERSION >= 4) return lend<Start>(member, arguments...);
  message::rescue();
  return std::nullopt;
};

/// Exchanges, as bytes, data that the program packs with own functions. In a phase, tries the `Ways` first.
template <auto Native, auto... Ways>
constexpr auto exchange_packed = [](team::Member& member, auto... arguments) -> std::optional<int> {
  using Exchange = PackedExchange<Native, decltype(arguments)...>;
  const MPI_Comm comm = std::get<Exchange::comm>(std::tuple(arguments...));
  const auto exchange = [&] {
    try {
      return Exchange::of({arguments...});
    } catch (const std::bad_alloc&) {
      transport::operation::reset();
      if (&member != &team::alone()) transport::operation::fail(comm);
      throw ranks::MpiError(comm, MPI_ERR_NO_MEM);
    }
  }();
  if (exchange == nullptr) return std::nullopt;
  exchange->load(member);
  const int code = exchange->call([&](auto... given) {
    std::optional<int> by_way;
    if (&member != &team::alone()) static_cast<void>(((by_way = Ways(member, given...)) || ...));
    return by_way ? *by_way : Native(given...);
  });
  if (code != MPI_SUCCESS) return code;
  ranks::check(exchange->store(member), comm);
  return code;
};

/// An entry whose `Ways` do not support data that the program packs with its own functions.
template <auto Native, auto... Ways>
struct PackedEntry : Entry<Native, exchange_packed<Native, Ways...>, Ways...> {};

} // namespace

#include "interpose/collectives.inc"
