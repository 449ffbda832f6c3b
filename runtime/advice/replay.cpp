// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>

#include "advice/findings.hpp"
#include "process/process.hpp"
#include "team/registry.hpp"

namespace helper::advice {

namespace {

constexpr double seconds_of_batch = 0.006;
constexpr int batches = 3;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Returns the mean time of `repetitions` calls of `act`.
template <class Act>
double time_of(int repetitions, const Act& act) {
  const auto begin = Clock::now();
  for (int i = 0; i < repetitions; ++i) act();
  return seconds_since(begin) / repetitions;
}

/// Allocates `count` elements in `memory`. Returns the address for MPI, which may lie outside of `memory`.
std::byte* make_buffer(MPI_Datatype type, MPI_Aint count, std::vector<std::byte>& memory) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lower = 0;
  MPI_Aint true_extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
  const MPI_Aint last = true_lower + (count - 1) * extent;
  const MPI_Aint low = std::min(true_lower, last); // may be an absolute address
  const MPI_Aint high = std::max(true_lower, last) + true_extent;
  memory.resize(static_cast<std::size_t>(std::max<MPI_Aint>(high - low, 8)) + 64);
  return reinterpret_cast<std::byte*>(reinterpret_cast<MPI_Aint>(memory.data()) - low);
}

/// Repeats the call of a cell, on buffers that the object owns.
class Calls {
public:
  Calls(const Cell& wanted, MPI_Datatype type, std::uint64_t unit, MPI_Comm comm)
      : wanted_(wanted), type_(type), comm_(comm) {
    PMPI_Comm_rank(comm, &rank_);
    PMPI_Comm_size(comm, &size_);
    count_ = static_cast<int>(wanted.bytes / unit);
    const int elements = has_blocks(wanted.repetition) ? count_ * size_ : count_;
    in_ = make_buffer(type, elements, in_memory_);
    out_ = make_buffer(type, elements, out_memory_);
    packed_.resize(wanted.bytes + 1024);
    counts_.assign(static_cast<std::size_t>(size_), count_);
    for (int rank = 0; rank < size_; ++rank) places_.push_back(rank * count_);
  }
  ~Calls() { MPI_Comm_free(&comm_); }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  /// Makes one call. Outside a phase it is native.
  int repeat() {
    const MPI_Op op = basic_ops[wanted_.op];
    switch (wanted_.repetition) {
    case Repetition::bcast:
      return MPI_Bcast(in_, count_, type_, 0, comm_);
    case Repetition::gather:
      return MPI_Gather(in_, count_, type_, out_, count_, type_, 0, comm_);
    case Repetition::scatter:
      return MPI_Scatter(in_, count_, type_, out_, count_, type_, 0, comm_);
    case Repetition::allgather:
      return MPI_Allgather(in_, count_, type_, out_, count_, type_, comm_);
    case Repetition::alltoall:
      return MPI_Alltoall(in_, count_, type_, out_, count_, type_, comm_);
    case Repetition::alltoallv:
      return MPI_Alltoallv(in_, counts_.data(), places_.data(), type_, out_, counts_.data(), places_.data(),
                           type_, comm_);
    case Repetition::reduce:
      return MPI_Reduce(in_, out_, count_, type_, op, 0, comm_);
    case Repetition::allreduce:
      return MPI_Allreduce(in_, out_, count_, type_, op, comm_);
    case Repetition::reduce_scatter:
      return MPI_Reduce_scatter_block(in_, out_, count_, type_, op, comm_);
    case Repetition::scan:
      return MPI_Scan(in_, out_, count_, type_, op, comm_);
    case Repetition::reduce_local:
      return MPI_Reduce_local(in_, out_, count_, type_, op);
    default:
      return is_message() ? exchange() : pack_or_unpack();
    }
  }

private:
  bool is_message() const noexcept {
    return wanted_.repetition == Repetition::send || wanted_.repetition == Repetition::isend;
  }

  int exchange() {
    const int peer = rank_ ^ 1;
    if (peer >= size_) return MPI_SUCCESS;
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(out_, count_, type_, peer, 0, comm_, requests.data());
    if (wanted_.repetition == Repetition::isend)
      MPI_Isend(in_, count_, type_, peer, 0, comm_, &requests[1]);
    else
      MPI_Send(in_, count_, type_, peer, 0, comm_);
    return MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  }

  int pack_or_unpack() {
    const auto size = static_cast<int>(packed_.size());
    int position = 0;
    return wanted_.repetition == Repetition::pack
               ? MPI_Pack(in_, count_, type_, packed_.data(), size, &position, comm_)
               : MPI_Unpack(packed_.data(), size, &position, out_, count_, type_, comm_);
  }

  const Cell& wanted_;
  const MPI_Datatype type_;
  MPI_Comm comm_; // owned
  int rank_ = 0;
  int size_ = 1;
  int count_ = 0;
  std::vector<int> counts_, places_; // of the blocks
  std::vector<std::byte> in_memory_, out_memory_, packed_;
  std::byte *in_, *out_;
};

/// Returns the greatest of the values of all ranks.
double greatest(double own, MPI_Comm comm) {
  PMPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, MPI_MAX, comm);
  return own;
}

template <class Act>
Range measure(const Act& act, MPI_Comm comm) {
  act();
  act();
  PMPI_Barrier(comm);
  const double once = greatest(time_of(1, act), comm);
  const int repetitions = static_cast<int>(std::clamp(seconds_of_batch / std::max(once, 1e-9), 1.0, 1000.0));
  std::vector<double> times(batches);
  for (double& time : times) {
    PMPI_Barrier(comm);
    time = greatest(time_of(repetitions, act), comm);
  }
  return range_of(std::move(times));
}

/// Calls `act()` in a phase of a new team, whose other members help.
template <class Act>
void with_team(int id, int size, const Act& act) {
  const auto take_part = [id, size](const auto& work) {
    const team::Handle handle = team::create(id, size, process::waiting());
    team::join(handle);
    work();
    team::leave(handle);
    team::free(handle);
  };
  std::vector<std::thread> helpers;
  for (int helper = 1; helper < size; ++helper) helpers.emplace_back(take_part, [] {});
  take_part(act);
  for (std::thread& helper : helpers) helper.join();
}

/// Splits `all` into communicators of `ranks` ranks (0: all). Ranks left over get MPI_COMM_NULL. Collective.
MPI_Comm comm_of(int ranks, MPI_Comm all) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(all, &rank);
  PMPI_Comm_size(all, &size);
  if (ranks == 0) ranks = size;
  const bool is_left_over = rank / ranks == size / ranks;
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_split(all, is_left_over ? MPI_UNDEFINED : rank / ranks, rank, &made);
  return made;
}

/// Returns the object that replays `wanted`, or nullptr if this process takes no part. Collective.
std::unique_ptr<Calls> calls_of(const Cell& wanted, const std::vector<Cell>& own, MPI_Comm all) {
  const MPI_Comm comm = comm_of(wanted.ranks, all);
  if (comm == MPI_COMM_NULL) return nullptr;
  if (reduces(wanted.repetition) ||
      wanted.repetition == Repetition::reduce_local) { // the same type at all ranks
    const MPI_Datatype type = basic_types[wanted.basic];
    int size = 1;
    PMPI_Type_size(type, &size);
    return std::make_unique<Calls>(wanted, type, static_cast<std::uint64_t>(size), comm);
  }
  const auto found = std::ranges::find_if(own, [&](const Cell& cell) {
    return cell.is_like(wanted) && cell.run != 0 && wanted.bytes % cell.unit == 0;
  });
  if (found == own.end()) return std::make_unique<Calls>(wanted, MPI_BYTE, 1, comm);
  return std::make_unique<Calls>(wanted, found->type, found->unit, comm);
}

} // namespace

Range range_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return {values.front(), (values[half] + values[values.size() - 1 - half]) / 2, values.back()};
}

std::vector<std::vector<Range>> replay(const std::vector<Cell>& wanted, const std::vector<Cell>& own,
                                       const std::vector<int>& team_sizes, MPI_Comm comm) {
  std::vector<std::unique_ptr<Calls>> calls;
  for (const Cell& cell : wanted) calls.push_back(calls_of(cell, own, comm));
  std::vector<std::vector<Range>> times(wanted.size());
  const auto measure_all = [&] {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto repeat = [&] {
        if (calls[i] != nullptr) calls[i]->repeat();
      };
      times[i].push_back(measure(repeat, comm));
    }
  };
  measure_all();
  process::expect_phases();
  int id = 0;
  for (const int size : team_sizes) with_team(id++, size, measure_all);
  return times;
}

} // namespace helper::advice
