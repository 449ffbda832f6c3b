// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/helpers.hpp"

// Every misuse that native MPI detects gives the same error in a phase: same class, same handler, once.

using namespace test_support;

namespace {

struct Handled {
  MPI_Comm comm;
  int error_class;
  bool operator==(const Handled&) const = default;
};
std::vector<Handled> handled;

void remember(MPI_Comm* comm, int* code, ...) {
  handled.push_back({*comm, class_of(*code)});
}

std::string text_of(const std::vector<Handled>& all) {
  std::string text;
  for (const auto& [comm, error_class] : all)
    text +=
        " class " + std::to_string(error_class) + (comm == MPI_COMM_WORLD ? " by the world" : " by the call");
  return text;
}

// An argument of a kind. Its bad values are tried only if `tried`. It is false where only the root checks the
// argument: the other ranks would wait for the root.
template <class Value, int Kind>
struct Argument {
  Value value;
  bool tried = true;
};
using Buffer = Argument<void*, 0>;
using Count = Argument<int, 1>;
using Type = Argument<MPI_Datatype, 2>;
using Rank = Argument<int, 3>;
using Tag = Argument<int, 4>;
using Communicator = Argument<MPI_Comm, 5>;
using Operation = Argument<MPI_Op, 6>;
using Fixed = Argument<const void*, 7>; // has no bad values: displacements, statuses and other output
using Counts = Argument<const void*, 8>;

class Misuse {
public:
  Misuse() {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(remember, &handler);
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    for (MPI_Comm comm : {comm_, MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    PMPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted_);
    PMPI_Comm_rank(comm_, &rank_);
    PMPI_Comm_size(comm_, &size_);
  }
  ~Misuse() {
    set_unnamed_errhandler(MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&comm_);
    PMPI_Type_free(&uncommitted_);
  }
  Misuse(const Misuse&) = delete;
  Misuse& operator=(const Misuse&) = delete;

  Helpers& helpers() { return helpers_; }
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Calls both functions with `good` arguments, one of which is replaced by each bad value of its kind.
  template <class... Parameters, class... Arguments>
  void compare(const char* name, int (*native)(Parameters...), int (*in_phase)(Parameters...),
               const Arguments&... good) {
    name_ = name;
    constexpr bool reduces = (std::is_same_v<Arguments, Operation> || ...);
    tries_no_type_ = !reduces || !is_mpich_5_0();
    const std::tuple<Parameters...> arguments(as<Parameters>(good.value)...);
    const auto vary_each = [&]<std::size_t... at>(std::index_sequence<at...>) {
      (vary<at>(native, in_phase, arguments, good), ...);
    };
    helpers_.phase([&] { vary_each(std::index_sequence_for<Parameters...>{}); });
  }

  /// Calls `native` and `in_phase` with these arguments, which must be invalid.
  template <class... Parameters>
  void call(const std::string& what, int (*native)(Parameters...), int (*in_phase)(Parameters...),
            std::type_identity_t<Parameters>... arguments) {
    helpers_.phase([&] { try_out(what, native, in_phase, arguments...); });
  }

private:
  template <class... Parameters>
  void try_out(const std::string& what, int (*native)(Parameters...), int (*in_phase)(Parameters...),
               std::type_identity_t<Parameters>... arguments) {
    handled.clear();
    const int expected = class_of(native(arguments...));
    const auto by_native = std::exchange(handled, {});
    const int got = class_of(in_phase(arguments...));
    INFO(name_ << ", " << what << ": native" << text_of(by_native) << "; in a phase" << text_of(handled));
    if (is_mpich_5_0()) { // the failed call returns MPI_SUCCESS; the library continues, and may meet the
                          // error again
      REQUIRE((!by_native.empty() && !handled.empty()));
      CHECK(handled.front() == by_native.front());
      return;
    }
    CHECK(expected != MPI_SUCCESS);
    CHECK(got == expected);
    CHECK(handled == by_native);
  }

  template <class Parameter, class Value>
  static Parameter as(Value value) {
    if constexpr (std::is_pointer_v<Parameter> && std::is_pointer_v<Value>) {
      return static_cast<Parameter>(const_cast<void*>(static_cast<const void*>(value)));
    } else {
      return static_cast<Parameter>(value);
    }
  }

  template <std::size_t at, class Parameter, class Native, class InPhase, class Tuple, class Value>
  void replace(const Native& native, const InPhase& in_phase, Tuple arguments, Value bad, const char* what) {
    std::get<at>(arguments) = as<Parameter>(bad);
    std::apply(
        [&](auto... all) {
          try_out("argument " + std::to_string(at) + ": " + what, native, in_phase, all...);
        },
        arguments);
  }

  template <std::size_t at, class... Parameters, class Value, int kind>
  void vary(int (*native)(Parameters...), int (*in_phase)(Parameters...),
            const std::tuple<Parameters...>& arguments, const Argument<Value, kind>& good) {
    using This = std::tuple_element_t<at, std::tuple<Parameters...>>;
    const auto with = [&](auto bad, const char* what) {
      replace<at, This>(native, in_phase, arguments, bad, what);
    };
    if (!good.tried) return;
    if constexpr (kind == 0) {
      with(static_cast<void*>(nullptr), "null buffer");
    } else if constexpr (kind == 1) {
      with(-1, "negative count");
    } else if constexpr (kind == 2) {
      with(uncommitted_, "uncommitted datatype");
      if (!tries_no_type_) return;
      with(MPI_DATATYPE_NULL, "null datatype");
      with(0x1234567, "no datatype");
    } else if constexpr (kind == 3) {
      with(size_, "rank too large");
      with(-7, "negative rank");
    } else if constexpr (kind == 4) {
      with(-7, "negative tag");
      with(std::numeric_limits<int>::max(), "tag too large");
    } else if constexpr (kind == 5) {
      with(MPI_COMM_NULL, "null communicator");
      with(0x1234567, "no communicator");
    } else if constexpr (kind == 6) {
      with(MPI_OP_NULL, "null operation");
      with(MPI_MAXLOC, "operation not defined for the type");
      with(0x1234567, "no operation");
    } else if constexpr (kind == 8) {
      static std::vector<std::remove_const_t<std::remove_pointer_t<This>>> negative;
      negative.assign(static_cast<std::size_t>(size_), -1);
      with(negative.data(), "negative counts");
    }
  }

  Helpers helpers_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Datatype uncommitted_ = MPI_DATATYPE_NULL;
  int rank_ = 0;
  int size_ = 1;
  const char* name_ = "";
  bool tries_no_type_ = true;
};

std::array<double, 64> memory; // for a few elements per rank
void* const in = memory.data();
void* const out = memory.data() + 32;

/// Returns where the part of `rank` begins in `buffer`, which has `ints` ints for each rank.
void* part_of(int rank, void* buffer, int ints) {
  return static_cast<int*>(buffer) + rank * ints;
}

} // namespace

TEST_CASE("Misuse of blocking point-to-point functions") {
  Misuse misuse;
  MPI_Status status;
  const Communicator comm{misuse.comm()};
  const auto compare = [&](auto... arguments) { misuse.compare(arguments...); };
  const auto send = [&](const char* name, auto native, auto in_phase) {
    compare(name, native, in_phase, Buffer{in}, Count{2}, Type{MPI_INT}, Rank{0}, Tag{1}, comm);
  };
  send("MPI_Send", PMPI_Send, MPI_Send);
  send("MPI_Ssend", PMPI_Ssend, MPI_Ssend);
  send("MPI_Rsend", PMPI_Rsend, MPI_Rsend);
  send("MPI_Bsend", PMPI_Bsend, MPI_Bsend);
  send("MPI_Send_c", PMPI_Send_c, MPI_Send_c);
  send("MPI_Ssend_c", PMPI_Ssend_c, MPI_Ssend_c);
  send("MPI_Rsend_c", PMPI_Rsend_c, MPI_Rsend_c);
  send("MPI_Bsend_c", PMPI_Bsend_c, MPI_Bsend_c);
  const auto receive = [&](const char* name, auto native, auto in_phase) {
    compare(name, native, in_phase, Buffer{out}, Count{2}, Type{MPI_INT}, Rank{0}, Tag{1}, comm,
            Fixed{&status});
  };
  receive("MPI_Recv", PMPI_Recv, MPI_Recv);
  receive("MPI_Recv_c", PMPI_Recv_c, MPI_Recv_c);
  const auto exchange = [&](const char* name, auto native, auto in_phase) {
    compare(name, native, in_phase, Buffer{in}, Count{2}, Type{MPI_INT}, Rank{0}, Tag{1}, Buffer{out},
            Count{2}, Type{MPI_INT}, Rank{0}, Tag{2}, comm, Fixed{&status});
  };
  exchange("MPI_Sendrecv", PMPI_Sendrecv, MPI_Sendrecv);
  exchange("MPI_Sendrecv_c", PMPI_Sendrecv_c, MPI_Sendrecv_c);
  const auto replace = [&](const char* name, auto native, auto in_phase) {
    compare(name, native, in_phase, Buffer{in}, Count{2}, Type{MPI_INT}, Rank{0}, Tag{1}, Rank{0}, Tag{2},
            comm, Fixed{&status});
  };
  replace("MPI_Sendrecv_replace", PMPI_Sendrecv_replace, MPI_Sendrecv_replace);
  replace("MPI_Sendrecv_replace_c", PMPI_Sendrecv_replace_c, MPI_Sendrecv_replace_c);
  compare("MPI_Probe", PMPI_Probe, MPI_Probe, Rank{0}, Tag{1}, comm, Fixed{&status});
  MPI_Message message = MPI_MESSAGE_NULL;
  compare("MPI_Mprobe", PMPI_Mprobe, MPI_Mprobe, Rank{0}, Tag{1}, comm, Fixed{&message}, Fixed{&status});
}

TEST_CASE("Misuse of requests and matched messages") {
  Misuse misuse;
  MPI_Status status;
  std::array<MPI_Status, 2> statuses;
  MPI_Request none = 0x1234567;
  std::array<MPI_Request, 2> requests{none, none};
  int index = 0;
  std::array<int, 2> indices{};
  misuse.call("MPI_Wait, no request", PMPI_Wait, MPI_Wait, &none, &status);
  misuse.call("MPI_Wait, null pointer", PMPI_Wait, MPI_Wait, nullptr, &status);
  misuse.call("MPI_Waitall, no requests", PMPI_Waitall, MPI_Waitall, 2, requests.data(), statuses.data());
  misuse.call("MPI_Waitall, negative count", PMPI_Waitall, MPI_Waitall, -1, requests.data(), statuses.data());
  misuse.call("MPI_Waitany, no requests", PMPI_Waitany, MPI_Waitany, 2, requests.data(), &index, &status);
  misuse.call("MPI_Waitany, negative count", PMPI_Waitany, MPI_Waitany, -1, requests.data(), &index, &status);
  misuse.call("MPI_Waitsome, no requests", PMPI_Waitsome, MPI_Waitsome, 2, requests.data(), &index,
              indices.data(), statuses.data());
  misuse.call("MPI_Waitsome, negative count", PMPI_Waitsome, MPI_Waitsome, -1, requests.data(), &index,
              indices.data(), statuses.data());
  misuse.call("MPI_Request_free, null pointer", PMPI_Request_free, MPI_Request_free, nullptr);
  misuse.call("MPI_Cancel, null pointer", PMPI_Cancel, MPI_Cancel, nullptr);
  MPI_Message message = MPI_MESSAGE_NULL;
  misuse.call("MPI_Mrecv, null message", PMPI_Mrecv, MPI_Mrecv, out, 1, MPI_INT, &message, &status);
  misuse.call("MPI_Mrecv, null pointer", PMPI_Mrecv, MPI_Mrecv, out, 1, MPI_INT, nullptr, &status);
  misuse.call("MPI_Recv, null status", PMPI_Recv, MPI_Recv, out, 1, MPI_INT, 0, 0, misuse.comm(), nullptr);
}

// The request is a receive that may be of an announced message. Native MPI checks the pointers first.
TEST_CASE("Misuse of completions of carried operations") {
  Misuse misuse;
  std::array<int, 1000> data{};
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<MPI_Status, 2> statuses;
  std::array<int, 2> indices{};
  int index = 0;
  int flag = 0;
  int* const nowhere = nullptr;
  MPI_Status* const no_status = nullptr;
  MPI_Irecv(data.data(), 1000, MPI_INT, 0, 1, misuse.comm(), requests.data());
  MPI_Request* const all = requests.data();
  misuse.call("MPI_Wait, null status", PMPI_Wait, MPI_Wait, all, no_status);
  misuse.call("MPI_Test, null flag", PMPI_Test, MPI_Test, all, nowhere, statuses.data());
  misuse.call("MPI_Test, null status", PMPI_Test, MPI_Test, all, &flag, no_status);
  misuse.call("MPI_Waitall, null statuses", PMPI_Waitall, MPI_Waitall, 2, all, no_status);
  misuse.call("MPI_Waitany, null index", PMPI_Waitany, MPI_Waitany, 2, all, nowhere, statuses.data());
  misuse.call("MPI_Waitany, null status", PMPI_Waitany, MPI_Waitany, 2, all, &index, no_status);
  misuse.call("MPI_Testall, null flag", PMPI_Testall, MPI_Testall, 2, all, nowhere, statuses.data());
  misuse.call("MPI_Testall, null statuses", PMPI_Testall, MPI_Testall, 2, all, &flag, no_status);
  misuse.call("MPI_Testany, null index", PMPI_Testany, MPI_Testany, 2, all, nowhere, &flag, statuses.data());
  misuse.call("MPI_Testany, null flag", PMPI_Testany, MPI_Testany, 2, all, &index, nowhere, statuses.data());
  misuse.call("MPI_Testany, null status", PMPI_Testany, MPI_Testany, 2, all, &index, &flag, no_status);
  const auto some = [&](const char* what, int* completed, int* where, MPI_Status* to) {
    misuse.call(std::string("MPI_Testsome, ") + what, PMPI_Testsome, MPI_Testsome, 2, all, completed, where,
                to);
    misuse.call(std::string("MPI_Waitsome, ") + what, PMPI_Waitsome, MPI_Waitsome, 2, all, completed, where,
                to);
  };
  some("null count", nowhere, indices.data(), statuses.data());
  some("null indices", &index, nowhere, statuses.data());
  some("null statuses", &index, indices.data(), no_status);
  misuse.call("MPI_Request_get_status, null flag", PMPI_Request_get_status, MPI_Request_get_status, *all,
              nowhere, statuses.data());
  misuse.call("MPI_Request_get_status, null status", PMPI_Request_get_status, MPI_Request_get_status, *all,
              &flag, no_status);
  MPI_Cancel(all);
  MPI_Wait(all, MPI_STATUS_IGNORE);
}

TEST_CASE("Misuse of collectives without counts per rank") {
  Misuse misuse;
  const bool alone = misuse.size() == 1;
  const Communicator comm{misuse.comm()};
  const auto compare = [&](auto... arguments) { misuse.compare(arguments...); };
  compare("MPI_Barrier", PMPI_Barrier, MPI_Barrier, comm);
  const auto bcast = [&](const char* name, auto native, auto in_phase) {
    compare(name, native, in_phase, Buffer{in}, Count{2}, Type{MPI_INT}, Rank{0}, comm);
  };
  bcast("MPI_Bcast", PMPI_Bcast, MPI_Bcast);
  bcast("MPI_Bcast_c", PMPI_Bcast_c, MPI_Bcast_c);
  // Native MPI does not check counts of reductions: negative ones crash MPI_Scan and MPI_Exscan.
  const auto reduction = [&](const char* name, auto native, auto in_phase) {
    compare(name, native, in_phase, Buffer{in}, Buffer{out}, Count{2, false}, Type{MPI_INT},
            Operation{MPI_SUM}, comm);
    misuse.call("aliased buffers", native, in_phase, in, in, 2, MPI_INT, MPI_SUM, misuse.comm());
    misuse.call("MPI_IN_PLACE as the receive buffer", native, in_phase, in, MPI_IN_PLACE, 2, MPI_INT, MPI_SUM,
                misuse.comm());
  };
  reduction("MPI_Allreduce", PMPI_Allreduce, MPI_Allreduce);
  reduction("MPI_Allreduce_c", PMPI_Allreduce_c, MPI_Allreduce_c);
  reduction("MPI_Reduce_scatter_block", PMPI_Reduce_scatter_block, MPI_Reduce_scatter_block);
  reduction("MPI_Reduce_scatter_block_c", PMPI_Reduce_scatter_block_c, MPI_Reduce_scatter_block_c);
  reduction("MPI_Scan", PMPI_Scan, MPI_Scan);
  reduction("MPI_Scan_c", PMPI_Scan_c, MPI_Scan_c);
  reduction("MPI_Exscan", PMPI_Exscan, MPI_Exscan);
  reduction("MPI_Exscan_c", PMPI_Exscan_c, MPI_Exscan_c);
  const auto reduce = [&](const char* name, auto native, auto in_phase) {
    compare(name, native, in_phase, Buffer{in}, Buffer{out, alone}, Count{2, false}, Type{MPI_INT},
            Operation{MPI_SUM}, Rank{0}, comm);
  };
  reduce("MPI_Reduce", PMPI_Reduce, MPI_Reduce);
  reduce("MPI_Reduce_c", PMPI_Reduce_c, MPI_Reduce_c);
  const auto all = [&](const char* name, auto native, auto in_phase) {
    compare(name, native, in_phase, Buffer{in}, Count{2}, Type{MPI_INT}, Buffer{out}, Count{2}, Type{MPI_INT},
            comm);
  };
  all("MPI_Allgather", PMPI_Allgather, MPI_Allgather);
  all("MPI_Allgather_c", PMPI_Allgather_c, MPI_Allgather_c);
  all("MPI_Alltoall", PMPI_Alltoall, MPI_Alltoall);
  all("MPI_Alltoall_c", PMPI_Alltoall_c, MPI_Alltoall_c);
  void* const own_pair = part_of(misuse.rank(), out, 2);
  misuse.call("own part in both buffers", PMPI_Allgather, MPI_Allgather, own_pair, 2, MPI_INT, out, 2,
              MPI_INT, misuse.comm());
  misuse.call("aliased buffers", PMPI_Alltoall, MPI_Alltoall, out, 2, MPI_INT, out, 2, MPI_INT,
              misuse.comm());
  const auto gather = [&](const char* name, auto native, auto in_phase) {
    compare(name, native, in_phase, Buffer{in, alone}, Count{2, alone}, Type{MPI_INT, alone},
            Buffer{out, alone}, Count{2, alone}, Type{MPI_INT, alone}, Rank{0}, comm);
  };
  gather("MPI_Gather", PMPI_Gather, MPI_Gather);
  gather("MPI_Gather_c", PMPI_Gather_c, MPI_Gather_c);
  gather("MPI_Scatter", PMPI_Scatter, MPI_Scatter);
  gather("MPI_Scatter_c", PMPI_Scatter_c, MPI_Scatter_c);
  // Every rank is the root of its call. Native MPI fails before it communicates.
  misuse.call("own part in both buffers", PMPI_Gather, MPI_Gather, own_pair, 2, MPI_INT, out, 2, MPI_INT,
              misuse.rank(), misuse.comm());
  misuse.call("own part in both buffers", PMPI_Scatter, MPI_Scatter, out, 2, MPI_INT, own_pair, 2, MPI_INT,
              misuse.rank(), misuse.comm());
}

TEST_CASE("Misuse of collectives with counts per rank") {
  Misuse misuse;
  const bool alone = misuse.size() == 1;
  const Communicator comm{misuse.comm()};
  const auto ranks = static_cast<std::size_t>(misuse.size());
  const std::vector<int> ones(ranks, 1);
  const std::vector<MPI_Count> large_ones(ranks, 1);
  const std::vector<int> offsets(ranks, 0);
  const std::vector<MPI_Aint> large_offsets(ranks, 0);
  const std::vector<MPI_Datatype> types(ranks, MPI_INT);
  // `one` has the counts and `at` the displacements, of the types that the function takes.
  const auto allgatherv = [&](const char* name, auto native, auto in_phase, auto& one, auto& at) {
    misuse.compare(name, native, in_phase, Buffer{in}, Count{1}, Type{MPI_INT}, Buffer{out},
                   Counts{one.data()}, Fixed{at.data()}, Type{MPI_INT}, comm);
  };
  allgatherv("MPI_Allgatherv", PMPI_Allgatherv, MPI_Allgatherv, ones, offsets);
  allgatherv("MPI_Allgatherv_c", PMPI_Allgatherv_c, MPI_Allgatherv_c, large_ones, large_offsets);
  const auto gatherv = [&](const char* name, auto native, auto in_phase, auto& one, auto& at) {
    misuse.compare(name, native, in_phase, Buffer{in, alone}, Count{1, alone}, Type{MPI_INT, alone},
                   Buffer{out, alone}, Counts{one.data(), alone}, Fixed{at.data()}, Type{MPI_INT, alone},
                   Rank{0}, comm);
  };
  gatherv("MPI_Gatherv", PMPI_Gatherv, MPI_Gatherv, ones, offsets);
  gatherv("MPI_Gatherv_c", PMPI_Gatherv_c, MPI_Gatherv_c, large_ones, large_offsets);
  const auto scatterv = [&](const char* name, auto native, auto in_phase, auto& one, auto& at) {
    misuse.compare(name, native, in_phase, Buffer{in, alone}, Counts{one.data(), alone}, Fixed{at.data()},
                   Type{MPI_INT, alone}, Buffer{out, alone}, Count{1, alone}, Type{MPI_INT, alone}, Rank{0},
                   comm);
  };
  scatterv("MPI_Scatterv", PMPI_Scatterv, MPI_Scatterv, ones, offsets);
  scatterv("MPI_Scatterv_c", PMPI_Scatterv_c, MPI_Scatterv_c, large_ones, large_offsets);
  const auto alltoallv = [&](const char* name, auto native, auto in_phase, auto& one, auto& at) {
    misuse.compare(name, native, in_phase, Buffer{in}, Counts{one.data()}, Fixed{at.data()}, Type{MPI_INT},
                   Buffer{out}, Counts{one.data()}, Fixed{at.data()}, Type{MPI_INT}, comm);
  };
  alltoallv("MPI_Alltoallv", PMPI_Alltoallv, MPI_Alltoallv, ones, offsets);
  alltoallv("MPI_Alltoallv_c", PMPI_Alltoallv_c, MPI_Alltoallv_c, large_ones, large_offsets);
  const auto alltoallw = [&](const char* name, auto native, auto in_phase, auto& one, auto& at) {
    misuse.compare(name, native, in_phase, Buffer{in}, Counts{one.data()}, Fixed{at.data()},
                   Fixed{types.data()}, Buffer{out}, Counts{one.data()}, Fixed{at.data()},
                   Fixed{types.data()}, comm);
  };
  alltoallw("MPI_Alltoallw", PMPI_Alltoallw, MPI_Alltoallw, ones, offsets);
  alltoallw("MPI_Alltoallw_c", PMPI_Alltoallw_c, MPI_Alltoallw_c, large_ones, large_offsets);
  const auto reduce_scatter = [&](const char* name, auto native, auto in_phase, auto& one) {
    misuse.compare(name, native, in_phase, Buffer{in}, Buffer{out}, Counts{one.data()}, Type{MPI_INT},
                   Operation{MPI_SUM}, comm);
  };
  reduce_scatter("MPI_Reduce_scatter", PMPI_Reduce_scatter, MPI_Reduce_scatter, ones);
  reduce_scatter("MPI_Reduce_scatter_c", PMPI_Reduce_scatter_c, MPI_Reduce_scatter_c, large_ones);
  const int* const one = ones.data();
  const int* const at = offsets.data();
  misuse.call("own part in both buffers", PMPI_Allgatherv, MPI_Allgatherv, out, 1, MPI_INT, out, one, at,
              MPI_INT, misuse.comm());
  misuse.call("own part in both buffers", PMPI_Gatherv, MPI_Gatherv, out, 1, MPI_INT, out, one, at, MPI_INT,
              misuse.rank(), misuse.comm());
  misuse.call("own part in both buffers", PMPI_Scatterv, MPI_Scatterv, out, one, at, MPI_INT, out, 1, MPI_INT,
              misuse.rank(), misuse.comm());
  misuse.call("aliased buffers", PMPI_Alltoallv, MPI_Alltoallv, out, one, at, MPI_INT, out, one, at, MPI_INT,
              misuse.comm());
  misuse.call("aliased buffers", PMPI_Alltoallw, MPI_Alltoallw, out, one, at, types.data(), out, one, at,
              types.data(), misuse.comm());
}

TEST_CASE("A communicator that has been freed") {
  Misuse misuse;
  MPI_Comm gone = MPI_COMM_NULL;
  PMPI_Comm_dup(misuse.comm(), &gone);
  const MPI_Comm handle = gone;
  PMPI_Comm_free(&gone);
  misuse.call("freed", PMPI_Barrier, MPI_Barrier, handle);
  misuse.call("freed", PMPI_Allgather, MPI_Allgather, in, 1, MPI_INT, out, 1, MPI_INT, handle);
  misuse.call("freed", PMPI_Allreduce, MPI_Allreduce, in, out, 1, MPI_INT, MPI_SUM, handle);
}

TEST_CASE("Broadcasts of which the root has another length") {
  Misuse misuse;
  const MPI_Comm comm = misuse.comm();
  misuse.helpers().phase([&] {
    for (const auto& [at_root, elsewhere] : {std::pair{1, 10}, std::pair{10, 1}, std::pair{100, 99}}) {
      const bool is_root = misuse.rank() == 0;
      const int code = MPI_Bcast(in, is_root ? at_root : elsewhere, MPI_INT, 0, comm);
      INFO("root " << at_root << ", others " << elsewhere);
      CHECK((class_of(code) == MPI_ERR_TRUNCATE) == !is_root);
    }
    int value = misuse.rank() == 0 ? 42 : 0;
    CHECK(MPI_Bcast(&value, 1, MPI_INT, 0, comm) == MPI_SUCCESS); // the communicator still works
    CHECK(value == 42);
  });
}
