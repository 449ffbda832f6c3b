// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The costs of algorithms with messages, from their schedules.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "collective/cost.hpp"
#include "lifetime/of_thread.hpp"
#include "pipeline/lane.hpp"

namespace helper::collective {

namespace {

/// If more than two nodes send to one another at once, several share the link to each node, and large
/// messages fill the switch. Their time on links is multiplied by this factor.
constexpr double collision = 1.25;

/// Returns the least size of a chunk, in bytes, whose messages collide.
double colliding(Operation operation, std::size_t ranks) noexcept {
  if (is_alltoall(operation)) return 16.0 * 1024 * static_cast<double>(ranks);
  return is_allgather(operation) ? 64.0 * 1024 : 128.0 * 1024;
}

/// Returns how often Bruck's MPI_Alltoall copies a chunk: each step packs and unpacks half of it.
double copies_by_bruck(const Situation& situation) noexcept {
  return std::ceil(std::log2(situation.ranks)) + 2;
}

/// Returns the seconds in which a rank copies a chunk into the staging memory of MPI, or out of it.
double staging_natively(Operation operation, double bytes, const Situation& situation,
                        const NetworkCosts& costs) noexcept {
  const double copied = bytes * costs.local_byte;
  if (bruck_natively(operation, situation)) return copies_by_bruck(situation) * copied;
  if (is_regular_rooted(operation)) return copied / 2;
  return operation == Operation::scan && situation.most_on_node > 1 ? bytes * costs.reduced_byte : 0;
}

/// Returns the seconds in which a rank copies a chunk into staging memory or out of it.
double staging_seconds(Operation operation, Algorithm algorithm, const ModelledChunks& cut,
                       const Situation& situation, const NetworkCosts& costs) noexcept {
  const bool helps = cut.bytes > 2 * double{pipeline::grain}; // the team
  const double copied = cut.bytes * costs.local_byte, by_team = copied / costs.team;
  if (algorithm == Algorithm::native) return staging_natively(operation, cut.bytes, situation, costs);
  // Preparing many short exchanges takes 0.3 times the overhead of their messages. Without this the model
  // says that pairwise and bruck take equally long, but pairwise took a third longer on 4 hosts.
  if (algorithm == Algorithm::pairwise && is_one_pass(operation) && situation.bytes <= short_most)
    return 0.3 * (situation.ranks - 1) * costs.overhead;
  if (algorithm == Algorithm::pairwise || algorithm == Algorithm::linear ||
      method(operation, algorithm).is_whole)
    return 0;
  if (is_alltoall(operation)) return copies_by_bruck(situation) * (helps ? by_team : copied);
  if (is_regular_rooted(operation)) return (helps ? by_team : copied) / (cut.count == 1 ? 2 : 1);
  const bool is_small = operation == Operation::allgather && situation.bytes <= short_most;
  if (algorithm == Algorithm::bruck) return is_small ? 0 : copied;
  const bool are_of_ranks = is_one_pass(operation) && situation.bytes > short_most;
  const bool are_moved = cut.count > 1 || (situation.most_on_node > 1 && algorithm != Algorithm::ring);
  return are_of_ranks && are_moved ? by_team : 0;
}

/// The seconds of a chunk: from start to end, in the slowest rank's lane, of the busiest processor and link.
struct ChunkTime {
  double way, in_lane, processor, link;
};

/// The work of some ranks of a node in some steps. `out`, `in`, `local` and `reduced` are in bytes.
struct StepWork {
  double messages = 0; ///< sent, and received
  double out = 0, in = 0, local = 0, reduced = 0;
  double far = 0;      ///< receives from another node
  double exchange = 0; ///< steps that send and receive

  StepWork& operator+=(const StepWork& more) noexcept {
    messages += more.messages, out += more.out, in += more.in, local += more.local;
    reduced += more.reduced, far += more.far, exchange += more.exchange;
    return *this;
  }
};

/// Follows the schedules of ranks for one chunk of `bytes` bytes.
class ScheduleTime {
public:
  ScheduleTime(Operation operation, Algorithm algorithm, const Situation& situation,
               const NetworkCosts& costs, double bytes)
      : operation_(operation), algorithm_(algorithm), situation_(situation), costs_(costs),
        ranks_(static_cast<std::size_t>(situation.ranks)),
        on_node_(std::min(static_cast<std::size_t>(situation.most_on_node), ranks_)), bytes_(bytes),
        reduced_byte_(reduced_byte(operation, algorithm, situation, costs)),
        collision_(situation.nodes > 2 && bytes >= colliding(operation, ranks_) ? collision : 1) {}

  ChunkTime time() {
    ChunkTime made{};
    made.way = std::max(way_to(0), way_to(ranks_ - 1));
    if (!std::has_single_bit(ranks_)) made.way = std::max(made.way, way_to(std::bit_floor(ranks_) - 1));
    for (const std::size_t rank : {std::size_t{0}, ranks_ / 2, ranks_ - 1}) {
      StepWork own;
      const Schedule schedule = of(rank);
      for (const ScheduleStep& step : schedule.steps()) own += work(schedule, rank, step);
      made.in_lane = std::max(made.in_lane, own_steps(schedule, rank, 0, schedule.steps().size()));
      made.processor = std::max(made.processor, processor(own) + own.reduced * reduced_byte_);
      StepWork all;
      for (const StepWork& step : of_node(rank / on_node_)) all += step;
      const bool is_half_duplex = operation_ == Operation::bcast && algorithm_ == Algorithm::chain;
      made.link = std::max(made.link, link(all) * (is_half_duplex && situation_.nodes > 2 ? 2 : 1));
      if (std::ranges::all_of(schedule.steps(), exchanges)) break; // all ranks do the same work
    }
    made.way = std::max(made.way, made.link + costs_.latency); // other ranks' messages share the link
    return made;
  }

private:
  static constexpr std::size_t most_followed = std::size_t{1} << 12; // steps of the ranks of a node
  static constexpr std::size_t most_hops = 512;                      // along a chain

  Schedule of(std::size_t rank) const { return schedule_of(operation_, algorithm_, situation_, rank, true); }

  double bytes_of(const Schedule& schedule, const BlockRun& run, double& messages) const {
    if (run.count == 0) return 0;
    const std::size_t all = schedule.blocks();
    messages += run.is_round_the_end(all) ? 2 : 1;
    return bytes_ * static_cast<double>(run.size(all)) / static_cast<double>(all);
  }

  /// Counts the ranks in [begin, end) among `times` ranks, from `first` on by `moves`: 1, 0 or ranks_ - 1.
  std::size_t within(std::size_t first, std::size_t moves, std::size_t times, std::size_t begin,
                     std::size_t end) const {
    if (moves == 0) return begin <= first && first < end ? times : 0;
    const std::size_t low = moves == 1 ? first : (first + 1 + ranks_ - times) % ranks_;
    const auto common = [=](std::size_t from, std::size_t to) {
      return std::max(std::min(to, low + times), std::max(from, low)) - std::max(from, low);
    };
    return common(begin, end) + common(begin + ranks_, end + ranks_);
  }

  StepWork work(const Schedule& schedule, std::size_t rank, const ScheduleStep& step) const {
    StepWork made;
    const double out = bytes_of(schedule, step.out, made.messages);
    const double in = bytes_of(schedule, step.in, made.messages);
    const std::size_t begin = rank / on_node_ * on_node_, end = std::min(begin + on_node_, ranks_);
    const auto near = [&](std::size_t first, std::size_t moves) {
      return static_cast<double>(within(first, moves, step.times, begin, end));
    };
    const auto times = static_cast<double>(step.times);
    const double to_near = near(step.to, step.to_moves), from_near = near(step.from, step.from_moves);
    made.messages *= times;
    made.local = out * to_near, made.out = out * (times - to_near);
    if (takes(step)) made.in = in * (times - from_near), made.far = times - from_near;
    if (step.arrival != ScheduleStep::Arrival::stored) made.reduced = in * times;
    if (exchanges(step)) made.exchange = times;
    return made;
  }

  /// Returns one of the steps that a step of a summary stands for.
  ScheduleStep one_of(ScheduleStep step, std::size_t index) const {
    step.to = (step.to + index * step.to_moves) % ranks_;
    step.from = (step.from + index * step.from_moves) % ranks_;
    step.times = 1;
    return step;
  }
  static std::size_t size(std::span<const ScheduleStep> steps) {
    std::size_t all = 0;
    for (const ScheduleStep& step : steps) all += step.times;
    return all;
  }

  double processor(const StepWork& work) const {
    return work.messages * costs_.overhead / 2 + work.local * costs_.local_byte;
  }
  double link(const StepWork& work) const { return std::max(work.out, work.in) * costs_.per_byte; }

  /// Returns the work of the ranks of a node in each step: on links the sum, otherwise the average of a rank.
  /// If there are many steps, some ranks stand for all.
  const std::vector<StepWork>& of_node(std::size_t node) {
    if (node_ == node) return steps_of_node_;
    node_ = node;
    steps_of_node_.clear();
    const std::size_t first = node * on_node_, count = std::min(on_node_, ranks_ - first);
    const std::size_t steps = std::max<std::size_t>(size(of(first).steps()), 1);
    const std::size_t followed =
        std::clamp<std::size_t>(most_followed / steps, std::min<std::size_t>(2, count), count);
    for (std::size_t index = 0; index < followed; ++index) {
      const std::size_t rank = first + (index == 0 ? 0 : index * (count - 1) / (followed - 1));
      const auto others = static_cast<double>(count - 1), among = static_cast<double>(count);
      const double stands_for =
          index == 0 ? 1 : others / static_cast<double>(followed - 1); // ranks; the first may be a root
      const Schedule schedule = of(rank);
      steps_of_node_.resize(std::max(steps_of_node_.size(), schedule.steps().size()));
      for (std::size_t step = 0; step < schedule.steps().size(); ++step) {
        StepWork each = work(schedule, rank, schedule.steps()[step]);
        each.out *= stands_for, each.in *= stands_for;
        const double part = stands_for / among;
        each.messages *= part, each.local *= part, each.reduced *= part, each.far *= part;
        each.exchange *= part;
        steps_of_node_[step] += each;
      }
    }
    return steps_of_node_;
  }

  static bool sends(const ScheduleStep& step) noexcept { return step.out.count != 0; }
  static bool takes(const ScheduleStep& step) noexcept { return step.in.count != 0; }
  static bool exchanges(const ScheduleStep& step) noexcept { return sends(step) && takes(step); }

  double latency(double far) const { return far * costs_.latency + (1 - far) * costs_.local_latency; }

  /// Returns how long a rank takes for steps [first, last), if it may begin them at once.
  double own_steps(const Schedule& schedule, std::size_t rank, std::size_t first, std::size_t last) {
    const std::span<const ScheduleStep> steps = schedule.steps();
    double seconds = 0;
    while (first < last) {
      const bool out = sends(steps[first]), in = takes(steps[first]), exchange = out && in;
      const auto goes_on = [&](const ScheduleStep& step) {
        return sends(step) == out && takes(step) == in &&
               (!exchange ||
                (step.out.count == steps[first].out.count && step.in.count == steps[first].in.count));
      };
      std::size_t end = first + 1;
      while (end < last && goes_on(steps[end])) ++end;
      seconds += exchange ? exchanged(schedule, rank, first, end) : one_way(schedule, rank, first, end);
      first = end;
    }
    return seconds;
  }

  /// Returns how long a rank takes for exchanges of equal size, `at_a_time` of them in flight at once. If all
  /// ranks of the node exchange, they share the link. While one rank waits, others use the link.
  double exchanged(const Schedule& schedule, std::size_t rank, std::size_t first, std::size_t last) {
    const std::vector<StepWork>& of_all = of_node(rank / on_node_);
    StepWork all;
    for (std::size_t step = first; step < last; ++step) {
      const ScheduleStep& own = schedule.steps()[step];
      const bool is_of_all =
          step < of_all.size() && of_all[step].exchange > 0.999 * static_cast<double>(own.times);
      all += is_of_all ? of_all[step] : work(schedule, rank, own);
    }
    const auto steps = static_cast<double>(size(schedule.steps().subspan(first, last - first)));
    const auto at_a_time = static_cast<double>(schedule.steps()[first].at_a_time);
    const bool is_one = at_a_time == 1;
    const double waits = std::ceil(steps / at_a_time) * latency(all.far / steps);
    const double carried = link(all) * (is_one && !is_alltoall(operation_) ? 1 : collision_);
    const double copied = all.local * costs_.local_byte, messages = all.messages * costs_.overhead / 2;
    const double reduced = all.reduced * reduced_byte_;
    if (!is_one) return waits + std::max(carried, copied + messages) + reduced;
    const double rest = waits + messages + std::max(copied - carried, 0.0) + reduced;
    const double sharing = std::max(all.far / steps * static_cast<double>(on_node_), 1.0);
    return carried + rest - std::min(carried, rest) * (1 - 1 / sharing) * (1 - 1 / steps);
  }

  /// Returns how long a rank takes for steps that all send, or all receive.
  double one_way(const Schedule& schedule, std::size_t rank, std::size_t first, std::size_t last) const {
    double processor = 0, link = 0, far = 0; // when processor and link are free
    for (const ScheduleStep& step : schedule.steps().subspan(first, last - first)) {
      for (std::size_t index = 0; index < step.times; ++index) {
        const StepWork own = work(schedule, rank, one_of(step, index));
        link += own.in * costs_.per_byte;
        processor = (takes(step) ? std::max(processor, link) : processor) + this->processor(own) +
                    own.reduced * reduced_byte_;
        if (own.out != 0) link = std::max(processor, link) + own.out * costs_.per_byte;
        far = std::max(far, own.far);
      }
    }
    return std::max(processor, link) + (takes(schedule.steps()[first]) ? latency(far) : 0);
  }

  /// Returns when a rank has taken all its steps. Follows the chain of messages that it waits for.
  double way_to(std::size_t rank) {
    double latest = 0, behind = 0; // behind: from the message followed to the end
    std::size_t count = any_size;
    for (std::size_t hop = 0; hop < most_hops; ++hop) {
      const Schedule schedule = of(rank);
      const std::span<const ScheduleStep> steps =
          schedule.steps().first(std::min(count, schedule.steps().size()));
      latest = std::max(latest, behind + own_steps(schedule, rank, 0, steps.size()));
      std::size_t last = steps.size();
      while (last != 0 && (sends(steps[last - 1]) || !takes(steps[last - 1]))) --last;
      if (last == 0) return latest;
      const ScheduleStep awaited = one_of(steps[last - 1], steps[last - 1].times - 1);
      const StepWork own = work(schedule, rank, awaited);
      behind += own_steps(schedule, rank, last, steps.size()) + latency(own.far) +
                own.messages * costs_.overhead / 2 + own.reduced * reduced_byte_;
      std::size_t before = 0;
      for (const ScheduleStep& step : steps.first(last))
        if (takes(step))
          before += within(step.from, step.from_moves, step.times, awaited.from, awaited.from + 1);
      count = behind_send(of(awaited.from).steps(), rank, before);
      rank = awaited.from;
    }
    return behind * static_cast<double>(ranks_) / most_hops; // extrapolated: all hops of a chain are alike
  }

  /// Returns how many steps of its summary a rank has taken when it has sent its `number`-th message to `to`.
  /// Counts a whole run of steps, since its last message is awaited the longest.
  std::size_t behind_send(std::span<const ScheduleStep> steps, std::size_t to, std::size_t number) const {
    std::size_t step = 0;
    for (; step < steps.size() && number != 0; ++step)
      if (sends(steps[step]))
        number -=
            std::min(number, within(steps[step].to, steps[step].to_moves, steps[step].times, to, to + 1));
    return step;
  }

  const Operation operation_;
  const Algorithm algorithm_;
  const Situation& situation_;
  const NetworkCosts& costs_;
  const std::size_t ranks_, on_node_;
  const double bytes_, reduced_byte_, collision_;
  std::optional<std::size_t> node_;
  std::vector<StepWork> steps_of_node_;
};

/// Returns a number that is equal for sizes with equal schedules.
std::ptrdiff_t size_class(std::size_t bytes) noexcept {
  constexpr std::array<std::size_t, 7> last{256, 2048, short_most, 12287, 32768, 81919, 524287};
  return std::ranges::lower_bound(last, bytes) - last.begin();
}

double power_of_4(std::size_t power) noexcept {
  return std::ldexp(1, 2 * static_cast<int>(power));
}

/// Returns the time of a chunk, interpolated between 4^n and 4^(n+1) bytes. Each thread keeps the times of
/// these sizes, since following schedules takes longer than a message.
ChunkTime known_time(Operation operation, Algorithm algorithm, const Situation& situation,
                     const NetworkCosts& costs, double bytes) {
  auto* const known = lifetime::of_thread<
      std::map<std::tuple<Operation, Algorithm, std::ptrdiff_t, int, int, int, int, NetworkCosts>,
               std::array<std::optional<ChunkTime>, 33>>>();
  if (known == nullptr) return ScheduleTime(operation, algorithm, situation, costs, bytes).time();
  auto& times = (*known)[{operation, algorithm, size_class(situation.bytes), situation.ranks, situation.nodes,
                          situation.most_on_node, situation.fewest_on_node, costs}];
  const auto at = [&](std::size_t power) {
    if (!times[power])
      times[power] = ScheduleTime(operation, algorithm, situation, costs, power_of_4(power)).time();
    return *times[power];
  };
  const auto power = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes) | 1) - 1) / 2;
  const double part = (bytes - power_of_4(power)) / (power_of_4(power + 1) - power_of_4(power));
  const ChunkTime least = at(power), most = part > 0 ? at(power + 1) : least;
  const auto between = [part](double low, double high) { return low + std::max(part, 0.0) * (high - low); };
  return {between(least.way, most.way), between(least.in_lane, most.in_lane),
          between(least.processor, most.processor), between(least.link, most.link)};
}

} // namespace

double reduced_byte(Operation operation, Algorithm algorithm, const Situation& situation,
                    const NetworkCosts& costs) noexcept {
  if (algorithm == Algorithm::native) // a scan reduces its prefix, and the data for the next rank
    return costs.reduced_byte * (is_scan(operation) ? 2 : 1);
  const bool is_alone = method(operation, algorithm).is_whole ||
                        (is_reduce_scatter(operation) && algorithm == Algorithm::recursive_halving &&
                         situation.bytes <= short_most);
  return costs.reduced_byte / (is_alone ? 1 : costs.team);
}

ModelledChunks modelled_chunks(Operation operation, Algorithm algorithm, const Situation& situation,
                               const NetworkCosts& costs) noexcept {
  const auto ranks = static_cast<std::size_t>(situation.ranks);
  // In an alltoall, gather or scatter, `situation.bytes` counts what one rank sends to another.
  const std::size_t each = operation == Operation::barrier ? 0 : situation.bytes;
  const std::size_t all = is_alltoall(operation) || is_regular_rooted(operation) ? each * ranks : each;
  const ScheduledChunks cut = method(operation, algorithm).chunks(operation, situation, costs);
  const std::size_t chunk = std::min(all, cut.bytes);
  ModelledChunks made{static_cast<double>(chunk), chunk == 0 ? 1 : (all + chunk - 1) / chunk, cut.lanes, 0};
  made.staging = staging_seconds(operation, algorithm, made, situation, costs);
  return made;
}

double model_seconds(Operation operation, Algorithm algorithm, const Situation& situation,
                     const NetworkCosts& costs) {
  const ModelledChunks cut = modelled_chunks(operation, algorithm, situation, costs);
  const ChunkTime of_chunk = known_time(operation, algorithm, situation, costs, cut.bytes);
  const double slowest = std::max({of_chunk.link, of_chunk.processor + cut.staging,
                                   (of_chunk.in_lane + cut.staging) / static_cast<double>(cut.lanes)});
  return of_chunk.way + cut.staging + static_cast<double>(cut.count - 1) * slowest;
}

} // namespace helper::collective
