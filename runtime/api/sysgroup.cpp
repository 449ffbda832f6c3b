// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The system-ranked groups of mpi_helper.h.

#include "mpi_helper.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

#include "api/sysgroup_handles.hpp"
#include "groups/sysgroup/operations.hpp"
#include "groups/sysgroup/sweep.hpp"
#include "process/notices.hpp"

using namespace helper;
using namespace helper::groups;
using api::called;
using api::check_pointer;
using api::handles;
using api::Rejected;
using api::take_part;
using sysgroup::Sysgroup;
using tree::Scheme;

namespace {

constexpr int default_branching = 4;

template <int least>
int parse_integer(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= least) return value;
  throw std::invalid_argument("an integer, at least " + std::to_string(least));
}

Scheme::SchemeAlgorithm parse_algorithm(std::string_view text) {
  if (text == "centralised") return Scheme::SchemeAlgorithm::centralised;
  if (text == "balance") return Scheme::SchemeAlgorithm::balance;
  if (text == "hash") return Scheme::SchemeAlgorithm::hash;
  throw std::invalid_argument("one of centralised, balance, hash");
}

Scheme::Filler parse_filler(std::string_view text) {
  if (text == "none") return Scheme::Filler::none;
  if (text == "child") return Scheme::Filler::child;
  if (text == "leaf") return Scheme::Filler::leaf;
  throw std::invalid_argument("one of none, child, leaf");
}

Sysgroup::TreeLayout parse_layout(std::string_view text) {
  if (text == "rank") return Sysgroup::TreeLayout::by_rank;
  if (text == "node") return Sysgroup::TreeLayout::by_node;
  throw std::invalid_argument("rank or node");
}

int branching_of(MPI_Info info, int fallback) {
  return api::hint(info, "mpi_helper_branching", fallback, parse_integer<1>);
}

/// Returns the scheme that the hints select. `branching` is the branching factor if no hint names one.
Scheme scheme_of(const char* function, MPI_Info info, int branching) {
  process::say_unread_keys(function, info,
                           std::array{"mpi_helper_branching", "mpi_helper_scheme", "mpi_helper_filler",
                                      "mpi_helper_fillers", "mpi_helper_hash"});
  const auto algorithm =
      api::hint(info, "mpi_helper_scheme", Scheme::SchemeAlgorithm::balance, parse_algorithm);
  const bool is_hash = algorithm == Scheme::SchemeAlgorithm::hash;
  const auto filler = api::hint(info, "mpi_helper_filler",
                                is_hash ? Scheme::Filler::none : Scheme::Filler::leaf, parse_filler);
  if (algorithm == Scheme::SchemeAlgorithm::balance && filler == Scheme::Filler::none)
    throw Rejected(MPI_ERR_INFO_VALUE, "mpi_helper_filler=none: the scheme balance needs child or leaf");
  if (!is_hash) process::say_if_key_is_unused(function, info, "mpi_helper_hash", "the scheme hash");
  if (algorithm == Scheme::SchemeAlgorithm::centralised)
    process::say_if_key_is_unused(function, info, "mpi_helper_filler", "the schemes balance and hash");
  if (algorithm == Scheme::SchemeAlgorithm::centralised || filler != Scheme::Filler::leaf)
    process::say_if_key_is_unused(function, info, "mpi_helper_fillers", "the filler leaf");
  const int shift = api::hint(info, "mpi_helper_hash", 0, parse_integer<0>);
  const int fillers = api::hint(info, "mpi_helper_fillers", 0, parse_integer<0>);
  return {algorithm, filler, branching_of(info, branching), shift, fillers};
}

/// Stores value(group), a number that a member knows of its group, in `result`.
template <class Value>
int tell(const char* function, MPIX_Sysgroup handle, int* result, const Value& value) {
  return called(function, [&](team::Member&) {
    check_pointer(result, "the result");
    *result = value(*handles().find(handle));
  });
}

} // namespace

extern "C" {

int MPIX_Sysgroup_from_comm(MPI_Comm comm, MPI_Info info, MPIX_Sysgroup* group) {
  return called("MPIX_Sysgroup_from_comm", [&](team::Member& member) {
    check_pointer(group, "group");
    api::check_communicator(comm);
    process::say_unread_keys("MPIX_Sysgroup_from_comm", info,
                             std::array{"mpi_helper_branching", "mpi_helper_layout"});
    const auto layout = api::hint(info, "mpi_helper_layout", Sysgroup::TreeLayout::by_rank, parse_layout);
    auto made = Sysgroup::of_communicator(comm, layout, branching_of(info, default_branching), member);
    if (made == nullptr) throw Rejected(MPI_ERR_OTHER, "there are too many communicators");
    *group = handles().add(std::move(made));
  });
}

int MPIX_Sysgroup_enroll(MPIX_Sysgroup parent, int participate, MPI_Info info, MPIX_Sysgroup* group) {
  const auto part = [&](const std::shared_ptr<Sysgroup>& from, team::Member& member) {
    check_pointer(group, "group");
    constexpr const char* function = "MPIX_Sysgroup_enroll";
    const Scheme scheme = scheme_of(function, info, from->place().branching);
    auto made = from->enrol(function, scheme, 1, participate != 0 ? 0 : -1, member);
    *group = made == nullptr ? MPIX_SYSGROUP_NULL : handles().add(std::move(made));
  };
  return take_part("MPIX_Sysgroup_enroll", parent, part);
}

int MPIX_Sysgroup_split(MPIX_Sysgroup parent, int color, MPI_Info info, MPIX_Sysgroup* group) {
  const auto part = [&](const std::shared_ptr<Sysgroup>& from, team::Member& member) {
    check_pointer(group, "group");
    if (color < 0 && color != MPI_UNDEFINED) throw Rejected(MPI_ERR_ARG, "color is " + std::to_string(color));
    const Scheme scheme = scheme_of("MPIX_Sysgroup_split", info, from->place().branching);
    sysgroup::pending::settle(*from, member);
    auto made = sysgroup::split(from, scheme, color, member);
    *group = made == nullptr ? MPIX_SYSGROUP_NULL : handles().add(std::move(made));
  };
  return take_part("MPIX_Sysgroup_split", parent, part);
}

int MPIX_Sysgroup_free(MPIX_Sysgroup* group) {
  return called("MPIX_Sysgroup_free", [&](team::Member&) {
    check_pointer(group, "group");
    handles().take(*group);
    *group = MPIX_SYSGROUP_NULL;
  });
}

int MPIX_Sysgroup_rank(MPIX_Sysgroup group, int* rank) {
  return tell("MPIX_Sysgroup_rank", group, rank, [](const Sysgroup& of) { return of.place().rank; });
}

int MPIX_Sysgroup_size(MPIX_Sysgroup group, int* size) {
  return tell("MPIX_Sysgroup_size", group, size, [](const Sysgroup& of) { return of.place().size; });
}

int MPIX_Sysgroup_depth(MPIX_Sysgroup group, int* depth) {
  return tell("MPIX_Sysgroup_depth", group, depth, [](const Sysgroup& of) { return of.place().depth; });
}

int MPIX_Sysgroup_parent(MPIX_Sysgroup group, int* rank) {
  return tell("MPIX_Sysgroup_parent", group, rank, [](const Sysgroup& of) {
    return of.place().parent == tree::nobody ? MPI_PROC_NULL : of.parent_rank();
  });
}

int MPIX_Sysgroup_children(MPIX_Sysgroup group, int most, int* count, int* ranks) {
  return called("MPIX_Sysgroup_children", [&](team::Member&) {
    check_pointer(count, "count");
    if (most < 0) throw Rejected(MPI_ERR_ARG, "most is " + std::to_string(most));
    if (most > 0) check_pointer(ranks, "ranks");
    const auto of = handles().find(group);
    const auto& children = of->place().children;
    *count = static_cast<int>(children.size());
    for (std::size_t child = 0; child < std::min(children.size(), static_cast<std::size_t>(most)); ++child)
      ranks[child] = children[child].rank;
  });
}

int MPIX_Sysgroup_to_comm(MPIX_Sysgroup group, MPI_Comm* comm) {
  return called("MPIX_Sysgroup_to_comm", [&](team::Member& member) {
    check_pointer(comm, "comm");
    const auto of = handles().find(group);
    const std::vector<int> members = of->channel().carry([&] {
      sysgroup::pending::settle(*of, member);
      return sysgroup::members(of, member);
    });
    *comm = sysgroup::make_communicator(*of, members); // if MPI fails, the group's channel can still be used
  });
}

} // extern "C"
