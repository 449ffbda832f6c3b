// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "advice/replay.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <thread>

#include "process/process.hpp"
#include "team/registry.hpp"

namespace helper::advice {

namespace {

constexpr double seconds_of_batch = 0.006;
constexpr int batches = 3;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Returns the time of one of `repetitions` calls of `act`.
template <class Act>
double time_of(int repetitions, const Act& act) {
  const auto begin = Clock::now();
  for (int i = 0; i < repetitions; ++i) act();
  return seconds_since(begin) / repetitions;
}

/// Memory for `count` elements of a datatype, whose buffer's address may lie behind its beginning.
class ReplayMemory {
public:
  ReplayMemory(MPI_Datatype type, std::size_t count) {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Aint true_lower = 0;
    MPI_Aint true_extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
    const auto last = static_cast<MPI_Aint>(count) - 1;
    const MPI_Aint low = std::min(true_lower, true_lower + last * extent); // may be an address
    const MPI_Aint high = std::max(true_lower, true_lower + last * extent) + true_extent;
    memory_.resize(static_cast<std::size_t>(std::max<MPI_Aint>(high - low, 8)) + 64);
    begin_ = reinterpret_cast<std::byte*>(reinterpret_cast<MPI_Aint>(memory_.data()) - low);
  }
  std::byte* begin() noexcept { return begin_; }

private:
  std::vector<std::byte> memory_;
  std::byte* begin_;
};

/// Repeats the calls of a cell, with memory of this process.
class Calls {
public:
  Calls(const Cell& wanted, MPI_Datatype type, std::uint64_t unit, MPI_Comm comm)
      : wanted_(wanted), type_(type), comm_(comm) {
    PMPI_Comm_rank(comm, &rank_);
    PMPI_Comm_size(comm, &size_);
    count_ = static_cast<int>(wanted.bytes / unit);
    const std::size_t blocks = static_cast<std::size_t>(count_) * static_cast<std::size_t>(blocks_of());
    source_ = std::make_unique<ReplayMemory>(type, blocks);
    target_ = std::make_unique<ReplayMemory>(type, blocks);
    packed_.resize(wanted.bytes + 1024);
  }
  ~Calls() { MPI_Comm_free(&comm_); }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  void native() { call<true>(); }
  void by_team() { call<false>(); }

private:
  /// Returns how many ranks' data lie in one buffer.
  int blocks_of() const noexcept {
    const Repetition as = wanted_.repetition;
    return as >= Repetition::gather && as <= Repetition::reduce_scatter ? size_ : 1;
  }

  template <bool natively>
  void message(void* in, void* out) {
    const int peer = rank_ ^ 1;
    if (peer >= size_) return;
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    (natively ? PMPI_Irecv : MPI_Irecv)(out, count_, type_, peer, 0, comm_, requests.data());
    if (wanted_.repetition == Repetition::isend)
      (natively ? PMPI_Isend : MPI_Isend)(in, count_, type_, peer, 0, comm_, &requests[1]);
    else
      (natively ? PMPI_Send : MPI_Send)(in, count_, type_, peer, 0, comm_);
    (natively ? PMPI_Waitall : MPI_Waitall)(2, requests.data(), MPI_STATUSES_IGNORE);
  }

  template <bool natively>
  void reduction(void* in, void* out) {
    const MPI_Op op = basic_op(wanted_.op);
    switch (wanted_.repetition) {
    case Repetition::reduce:
      (natively ? PMPI_Reduce : MPI_Reduce)(in, out, count_, type_, op, 0, comm_);
      break;
    case Repetition::allreduce:
      (natively ? PMPI_Allreduce : MPI_Allreduce)(in, out, count_, type_, op, comm_);
      break;
    case Repetition::reduce_scatter:
      (natively ? PMPI_Reduce_scatter_block : MPI_Reduce_scatter_block)(in, out, count_, type_, op, comm_);
      break;
    case Repetition::scan:
      (natively ? PMPI_Scan : MPI_Scan)(in, out, count_, type_, op, comm_);
      break;
    default:
      (natively ? PMPI_Reduce_local : MPI_Reduce_local)(in, out, count_, type_, op);
    }
  }

  template <bool natively>
  void local() {
    const auto size = static_cast<int>(packed_.size());
    int position = 0;
    if (wanted_.repetition == Repetition::pack)
      (natively ? PMPI_Pack : MPI_Pack)(source_->begin(), count_, type_, packed_.data(), size, &position,
                                        comm_);
    else
      (natively ? PMPI_Unpack : MPI_Unpack)(packed_.data(), size, &position, target_->begin(), count_, type_,
                                            comm_);
  }

  template <bool natively>
  void call() {
    void* const in = source_->begin();
    void* const out = target_->begin();
    switch (wanted_.repetition) {
    case Repetition::send:
    case Repetition::isend:
      return message<natively>(in, out);
    case Repetition::bcast:
      (natively ? PMPI_Bcast : MPI_Bcast)(in, count_, type_, 0, comm_);
      return;
    case Repetition::gather:
      (natively ? PMPI_Gather : MPI_Gather)(in, count_, type_, out, count_, type_, 0, comm_);
      return;
    case Repetition::scatter:
      (natively ? PMPI_Scatter : MPI_Scatter)(in, count_, type_, out, count_, type_, 0, comm_);
      return;
    case Repetition::allgather:
      (natively ? PMPI_Allgather : MPI_Allgather)(in, count_, type_, out, count_, type_, comm_);
      return;
    case Repetition::alltoall:
      (natively ? PMPI_Alltoall : MPI_Alltoall)(in, count_, type_, out, count_, type_, comm_);
      return;
    case Repetition::pack:
    case Repetition::unpack:
      return local<natively>();
    default:
      reduction<natively>(in, out);
    }
  }

  const Cell& wanted_;
  const MPI_Datatype type_;
  MPI_Comm comm_; // of its own
  int rank_ = 0;
  int size_ = 1;
  int count_ = 0;
  std::unique_ptr<ReplayMemory> source_;
  std::unique_ptr<ReplayMemory> target_;
  std::vector<std::byte> packed_;
};

/// Returns the greatest of the values of all ranks.
double greatest(double own, MPI_Comm comm) {
  PMPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, MPI_MAX, comm);
  return own;
}

template <class Act>
CallTime measure(const Act& act, MPI_Comm comm) {
  act();
  act();
  PMPI_Barrier(comm);
  const double once = greatest(time_of(1, act), comm);
  const int repetitions = static_cast<int>(std::clamp(seconds_of_batch / std::max(once, 1e-9), 1.0, 1000.0));
  std::array<double, batches> times{};
  for (double& time : times) {
    PMPI_Barrier(comm);
    time = greatest(time_of(repetitions, act), comm);
  }
  std::ranges::sort(times);
  return {times.front(), times[batches / 2], times.back()};
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

/// Returns a communicator of that many ranks, others of as many side by side with it; MPI_COMM_NULL if no
/// place remains for this process. It is collective.
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

/// Returns what repeats the calls of `wanted`, or nullptr if this process takes no part. It is collective.
std::unique_ptr<Calls> calls_of(const Cell& wanted, const std::vector<Cell>& own, MPI_Comm all) {
  const MPI_Comm comm = comm_of(wanted.ranks, all);
  if (comm == MPI_COMM_NULL) return nullptr;
  if (reduces(wanted.repetition) ||
      wanted.repetition == Repetition::reduce_local) { // alike at all ranks, whatever types they have reduced
    const MPI_Datatype type = basic_type(wanted.basic);
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

std::vector<Replay> replay(const std::vector<Cell>& wanted, const std::vector<Cell>& own,
                           const std::vector<int>& team_sizes, MPI_Comm comm) {
  std::vector<std::unique_ptr<Calls>> calls;
  for (const Cell& cell : wanted) calls.push_back(calls_of(cell, own, comm));
  std::vector<Replay> replays(wanted.size());
  const auto measure_all = [&](const auto& act, const auto& keep) {
    for (std::size_t i = 0; i < calls.size(); ++i)
      keep(replays[i], measure(
                           [&] {
                             if (calls[i] != nullptr) act(*calls[i]);
                           },
                           comm));
  };
  measure_all([](Calls& each) { each.native(); },
              [](Replay& into, const CallTime& time) { into.native = time; });
  process::expect_phases();
  int id = 0;
  for (const int size : team_sizes) {
    with_team(id++, size, [&] {
      measure_all([](Calls& each) { each.by_team(); },
                  [](Replay& into, const CallTime& time) { into.by_teams.push_back(time); });
    });
  }
  return replays;
}

Costs measure_costs(MPI_Comm comm) {
  constexpr int large = 1 << 20;
  constexpr int few = 10;
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  std::vector<double> in(large / sizeof(double), 1.0);
  std::vector<double> out(in.size(), 1.0);
  const auto exchange = [&](int bytes) {
    const auto act = [&] {
      PMPI_Sendrecv(in.data(), bytes, MPI_BYTE, (rank + 1) % size, 0, out.data(), bytes, MPI_BYTE,
                    (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
    };
    act();
    return std::min(time_of(few, act), time_of(few, act)) / 2;
  };
  Costs costs{};
  costs.message = exchange(0);
  costs.byte_of_message = exchange(large) / large;
  const auto reduce = [&] {
    PMPI_Reduce_local(in.data(), out.data(), large / static_cast<int>(sizeof(double)), MPI_DOUBLE, MPI_SUM);
  };
  reduce();
  costs.byte_of_reduction = time_of(few, reduce) / large;
  MPI_Datatype column = MPI_DATATYPE_NULL;
  PMPI_Type_vector(large / 2 / static_cast<int>(sizeof(double)), 1, 2, MPI_DOUBLE, &column);
  PMPI_Type_commit(&column);
  const auto pack = [&] {
    int position = 0;
    PMPI_Pack(in.data(), 1, column, out.data(), large, &position, MPI_COMM_SELF);
  };
  pack();
  costs.byte_to_pack = time_of(few, pack) / (large / 2);
  PMPI_Type_free(&column);
  return costs;
}

} // namespace helper::advice
