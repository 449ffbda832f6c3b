// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The library starts non-blocking collectives that the team can carry; MPI starts the others. MPI handles
// those that move data, and their persistent forms. Unlike the functions in counted.cpp, all functions here
// are recorded on the member's track in a phase.

#include <memory>
#include <tuple>
#include <utility>

#include "collective/nonblocking.hpp"
#include "interpose/entry.hpp"
#include "interpose/packed_exchange.hpp"
#include "message/packed_copy.hpp"
#include "message/requests.hpp"
#include "ranks/mpi_error.hpp"

using namespace helper;
using namespace helper::interpose;
using collective::started;
using message::CopyOperation;

namespace {

/// Packs the data to send. Calls CopyOperation::start(…, begun...), which later unpacks the received data.
template <class Exchange, class... Begun>
int start_exchange(team::Member& member, const std::shared_ptr<Exchange>& exchange, Begun&&... begun) {
  exchange->load(member);
  const auto store = [exchange](team::Member& by, const MPI_Status&) { return exchange->store(by); };
  return CopyOperation::start(store, 1, begun...);
}

/// Starts an exchange of data that the program packs with its own functions.
template <auto Native>
constexpr auto start_packed = [](team::Member& member, auto... arguments) -> std::optional<int> {
  using Exchange = PackedExchange<Native, decltype(arguments)...>;
  const std::tuple all(arguments...);
  MPI_Request* const request = std::get<sizeof...(arguments) - 1>(all);
  if (request == nullptr) return std::nullopt;
  return ranks::charged_to(std::get<Exchange::comm>(all), [&]() -> std::optional<int> {
    const auto exchange = Exchange::of(all);
    if (exchange == nullptr) return std::nullopt;
    const auto begin = [&](MPI_Request* made) {
      std::get<sizeof...(arguments) - 1>(exchange->arguments()) = made;
      return exchange->call(Native);
    };
    return start_exchange(member, exchange, begin, request);
  });
};

/// A persistent exchange of data that the program packs with its own functions. MPI's request moves bytes.
template <class Exchange>
class PersistentExchange final : public message::persistent::PersistentOperation {
public:
  explicit PersistentExchange(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

  std::optional<int> start(team::Member& member, MPI_Request& request) const override {
    if (message::requests::find(&request) != nullptr)
      throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_REQUEST);
    set_started_by_mpi();
    return ranks::charged_to(ranks::unnamed_comm(),
                             [&] { return start_exchange(member, exchange_, request); });
  }
  bool is_collective() const noexcept override { return true; }

private:
  std::shared_ptr<Exchange> exchange_;
};

/// Makes a persistent exchange of data that the program packs with its own functions.
template <auto Native>
constexpr auto make_packed = [](team::Member&, auto... arguments) -> std::optional<int> {
  using Exchange = PackedExchange<Native, decltype(arguments)...>;
  const std::tuple all(arguments...);
  MPI_Request* const request = std::get<sizeof...(arguments) - 1>(all);
  return ranks::charged_to(std::get<Exchange::comm>(all), [&]() -> std::optional<int> {
    auto exchange = Exchange::of(all);
    if (exchange == nullptr) return std::nullopt;
    auto entry = message::persistent::entry_of(std::make_shared<PersistentExchange<Exchange>>(exchange));
    const int code = exchange->call(Native);
    if (code == MPI_SUCCESS) message::persistent::keep(*request, std::move(entry));
    return code;
  });
};

} // namespace

#include "interpose/nonblocking_collectives.inc"
