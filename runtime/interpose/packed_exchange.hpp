// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "collective/neighbors.hpp"
#include "interpose/listed.hpp"
#include "message/packed_elements.hpp"

namespace helper::interpose {

/// A buffer of a collective, at argument index `first`. The program packs its blocks with its own functions.
template <std::size_t first, class All>
class PackedSide {
  template <std::size_t at>
  using Argument = std::remove_const_t<std::tuple_element_t<at, All>>;
  template <std::size_t at>
  using Element = std::remove_const_t<std::remove_pointer_t<Argument<at>>>;
  static constexpr bool has_counts = std::is_pointer_v<Argument<first + 1>>;

public:
  static constexpr std::size_t type = first + (has_counts ? 3 : 2);
  static constexpr bool has_types =
      std::is_pointer_v<Argument<type>> && std::is_same_v<Element<type>, MPI_Datatype>;

  /// Returns whether the program packs any of the first `blocks` blocks with its own functions.
  static bool is_packed(const All& all, std::size_t blocks) {
    if constexpr (has_types)
      return std::any_of(std::get<type>(all), std::get<type>(all) + blocks, layout::has_functions);
    else
      return layout::has_functions(std::get<type>(all));
  }

  /// Replaces arguments by memory for the blocks. `is_absent(i)`: block i has no peer. Throws bad_alloc.
  template <class IsAbsent>
  void replace(All& all, std::size_t blocks, const IsAbsent& is_absent) {
    auto& buffer = std::get<first>(all);
    if constexpr (has_types) {
      packed_.emplace(is_absent, buffer, blocks, std::get<first + 1>(all), std::get<first + 2>(all),
                      std::get<type>(all));
      std::get<first + 1>(all) = packed_->counts.data();
      std::get<first + 2>(all) = packed_->places.data();
      std::get<type>(all) = packed_->types.data();
    } else {
      std::vector<std::pair<MPI_Count, MPI_Count>> present;
      for (std::size_t i = 0; i < blocks; ++i) {
        if (is_absent(i)) continue;
        if constexpr (has_counts)
          present.push_back({std::get<first + 2>(all)[i], std::get<first + 1>(all)[i]});
        else
          present.push_back({static_cast<MPI_Count>(i) * std::get<first + 1>(all), std::get<first + 1>(all)});
      }
      packed_.emplace(buffer, std::get<type>(all), std::move(present));
      buffer = packed_->data();
      std::get<type>(all) = packed_->type();
    }
  }

  void load(team::Member& member) const noexcept {
    if (packed_) packed_->load(member);
  }
  void store(team::Member& member) const noexcept {
    if (packed_) packed_->store(member);
  }
  bool lacks_memory() const noexcept { return packed_ && packed_->lacks_memory(); }

private:
  std::optional<std::conditional_t<has_types, message::PackedBlocks<Element<first + 1>, Element<first + 2>>,
                                   message::PackedElements>>
      packed_;
};

/// A call of `Native` that exchanges blocks. The program packs them with its own functions, so MPI gets
/// bytes. Holds the arguments for MPI. Exchanges are MPI_Alltoallw and the neighbourhood collectives.
template <auto Native, class... Arguments>
class PackedExchange {
  using All = std::tuple<Arguments...>;
  using Out = PackedSide<0, All>;
  using In = PackedSide<Out::type + 1, All>;

public:
  static constexpr std::size_t comm = In::type + 1;

  /// Returns nullptr if the program packs no data of the call with its own functions. Throws std::bad_alloc.
  /// If only memory for the bytes is lacking, does not throw: store() reports it.
  static std::shared_ptr<PackedExchange> of(const All& all) {
    const MPI_Comm with = std::get<comm>(all);
    if (!layout::any_functions() || with == MPI_COMM_NULL) return nullptr;
    if constexpr (!Out::has_types)
      if (!Out::is_packed(all, 1) && !In::is_packed(all, 1)) return nullptr;
    std::size_t sent = 0;
    std::size_t received = 0;
    const collective::Neighbors* neighbors = nullptr;
    if constexpr (listed<Native>.neighbors) {
      if (!collective::Neighbors::are_defined(with)) return nullptr;
      neighbors = &collective::Neighbors::of(with);
      sent = listed<Native>.to_all ? 1 : neighbors->destinations.size();
      received = neighbors->sources.size();
    } else {
      int is_inter = 0;
      int ranks = 0;
      PMPI_Comm_test_inter(with, &is_inter);
      is_inter != 0 ? PMPI_Comm_remote_size(with, &ranks) : PMPI_Comm_size(with, &ranks);
      received = static_cast<std::size_t>(ranks);
      if (std::get<0>(all) != MPI_IN_PLACE) sent = received;
    }
    const bool packs = Out::is_packed(all, sent);
    const bool unpacks = In::is_packed(all, received);
    if (!packs && !unpacks) return nullptr;
    auto made = std::make_shared<PackedExchange>(all);
    const auto is_absent = [neighbors](std::size_t block, auto peers) {
      return neighbors != nullptr && (neighbors->*peers)[block] == MPI_PROC_NULL;
    };
    if (packs)
      made->out_.replace(made->given_, sent, [&](std::size_t i) {
        return !listed<Native>.to_all && is_absent(i, &collective::Neighbors::destinations);
      });
    if (unpacks)
      made->in_.replace(made->given_, received,
                        [&](std::size_t i) { return is_absent(i, &collective::Neighbors::sources); });
    return made;
  }

  explicit PackedExchange(const All& all) : given_(all) {}

  /// Packs the data to send, with the team.
  void load(team::Member& member) const noexcept {
    out_.load(member);
    if (std::get<0>(given_) == MPI_IN_PLACE) in_.load(member);
  }

  /// Returns `function(arguments)` with the arguments for MPI.
  template <class Function>
  decltype(auto) call(const Function& function) const {
    return std::apply(function, given_);
  }
  All& arguments() noexcept { return given_; }

  /// Unpacks the received data, with the team. Returns an MPI code: MPI_ERR_NO_MEM if there was no memory.
  int store(team::Member& member) const noexcept {
    in_.store(member);
    return out_.lacks_memory() || in_.lacks_memory() ? MPI_ERR_NO_MEM : MPI_SUCCESS;
  }

private:
  All given_;
  Out out_;
  In in_;
};

} // namespace helper::interpose
