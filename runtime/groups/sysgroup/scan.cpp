// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/operations.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "groups/sysgroup/chunks.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"

namespace helper::groups::sysgroup {

namespace {

using pipeline::Stream;
using tree::Interval;

/// An interval of ranks whose contributions arrive combined: this member, or part of a child's subtree.
struct ScanPart {
  Interval ranks;
  std::optional<std::size_t> child; // its index as a neighbour; none for this member's own rank
};

/// Returns the parts in the order of their ranks.
std::vector<ScanPart> parts_of(const Sysgroup& group) {
  const tree::Place& place = group.place();
  std::vector<ScanPart> parts{{{place.rank, place.rank + 1}, std::nullopt}};
  for (std::size_t child = 0; child < place.children.size(); ++child)
    for (const Interval& ranks : group.beyond(child)) parts.push_back({ranks, child});
  std::ranges::sort(parts, {}, [](const ScanPart& part) { return part.ranks.first; });
  return parts;
}

/// Returns the index of the first part of each run, followed by the number of parts. A run is a sequence of
/// parts whose ranks together form one interval.
std::vector<std::size_t> runs_of(const std::vector<ScanPart>& parts) {
  std::vector<std::size_t> begins{0};
  for (std::size_t part = 1; part < parts.size(); ++part)
    if (parts[part - 1].ranks.end != parts[part].ranks.first) begins.push_back(part);
  begins.push_back(parts.size());
  return begins;
}

class Scan {
public:
  Scan(team::Member& member, const Sysgroup& group, const ScanCall& call)
      : group_(group), call_(call), shadow_(group.channel().shadow()), parts_(parts_of(group)),
        run_begins_(runs_of(parts_)), above_(group.turned_to(0).above), from_(view(call.from, true)),
        to_(view(call.to, false)),
        chunks_(from_.size(), chunk_size(from_.size(), call.reducer.element(), shadow_.chunk())),
        staging_(chunks_.bytes() * 2 * (parts_.size() + runs()), std::min(most_in_flight, chunks_.count()),
                 shadow_) {
    for (std::size_t lane = 0; lane < staging_.count(); ++lane) {
      lanes_.emplace_back(member, shadow_).memory = staging_[lane];
      lanes_.back().values.resize(parts_.size());
      lanes_.back().before.resize(parts_.size());
    }
  }

  void finish() {
    pipeline::run(
        call_.function, lanes_, chunks_.count(),
        [this](ScannedChunk& chunk, std::size_t index) { begin(chunk, index); },
        [this](ScannedChunk& chunk, std::size_t index) { combine_up(chunk, index); },
        [this](ScannedChunk& chunk, std::size_t index) { pass_up(chunk, index); },
        [this](ScannedChunk& chunk, std::size_t index) { combine_down(chunk, index); },
        [this](ScannedChunk& chunk, std::size_t index) { pass_down(chunk, index); });
    to_.store_back();
  }

private:
  /// A chunk in flight: its lane, and memory for the received and combined data of each part and each run.
  struct ScannedChunk : pipeline::Lane {
    using Lane::Lane;
    std::byte* memory = nullptr;
    std::vector<const std::byte*> values; // what each part contributes
    std::vector<const std::byte*> before; // the combined data of all lower ranks; nullptr if there are none
  };

  Stream view(const ranks::Elements& of, bool readable) const {
    return stream_of(of.base, of.count, of.type, call_.reducer, shadow_, readable);
  }

  std::byte* value(const ScannedChunk& chunk, std::size_t part) const {
    return chunk.memory + chunks_.bytes() * part;
  }
  /// Returns the memory for the combined data of all ranks up to the last rank of the part.
  std::byte* up_to(const ScannedChunk& chunk, std::size_t part) const {
    return value(chunk, parts_.size() + part);
  }
  std::byte* total(const ScannedChunk& chunk, std::size_t run) const {
    return value(chunk, 2 * parts_.size() + run);
  }
  /// Returns the memory for the combined data of all ranks before the first rank of the run.
  std::byte* before(const ScannedChunk& chunk, std::size_t run) const {
    return value(chunk, 2 * parts_.size() + runs() + run);
  }

  void receive(ScannedChunk& chunk, std::size_t index, std::size_t neighbour, std::byte* into) const {
    chunk.receive(into, chunks_.size(index), group_.neighbours()[neighbour].rank,
                  tag(group_.port(), index, SweepMessage::data));
  }

  void send(ScannedChunk& chunk, std::size_t index, std::size_t neighbour, const std::byte* data) const {
    const auto& [to, port, process] = group_.neighbours()[neighbour];
    chunk.send(data, chunks_.size(index), to, tag(port, index, SweepMessage::data));
  }

  void begin(ScannedChunk& chunk, std::size_t index) {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      std::byte* const into = value(chunk, part);
      chunk.values[part] = into;
      if (parts_[part].child)
        receive(chunk, index, *parts_[part].child, into);
      else if (from_.is_dense())
        chunk.values[part] = from_.dense() + chunks_.begin(index);
      else
        chunk.pack(from_, chunks_.begin(index), chunks_.size(index), into);
    }
  }

  /// Runs `work(begin, end)`, which combines elements of the chunk.
  template <class Work>
  void combine(ScannedChunk& chunk, std::size_t index, const Work& work) const {
    pipeline::start_reducing(call_.reducer, chunk, chunks_.size(index) / call_.reducer.element(), work);
  }

  void combine_up(ScannedChunk& chunk, std::size_t index) const {
    if (!above_) return;
    combine(chunk, index, [this, &chunk](std::size_t begin, std::size_t end) {
      for (std::size_t run = 0; run < runs(); ++run)
        if (has_several(run)) call_.reducer.reduce(values_of(chunk, run), begin, end, total(chunk, run));
    });
  }

  std::size_t runs() const { return run_begins_.size() - 1; }
  bool has_several(std::size_t run) const { return run_begins_[run + 1] - run_begins_[run] > 1; }

  std::span<const std::byte* const> values_of(const ScannedChunk& chunk, std::size_t run) const {
    return std::span(chunk.values).subspan(run_begins_[run], run_begins_[run + 1] - run_begins_[run]);
  }

  void pass_up(ScannedChunk& chunk, std::size_t index) const {
    if (!above_) return;
    for (std::size_t run = 0; run < runs(); ++run)
      send(chunk, index, *above_, has_several(run) ? total(chunk, run) : values_of(chunk, run).front());
    for (std::size_t run = 0; run < runs(); ++run) receive(chunk, index, *above_, before(chunk, run));
  }

  void combine_down(ScannedChunk& chunk, std::size_t index) const {
    for (std::size_t run = 0; run < runs(); ++run) {
      const std::byte* known = above_ ? before(chunk, run) : nullptr;
      for (std::size_t part = run_begins_[run]; part < run_begins_[run + 1]; ++part) {
        chunk.before[part] = known;
        known = known == nullptr ? chunk.values[part] : up_to(chunk, part);
      }
    }
    combine(chunk, index, [this, &chunk](std::size_t begin, std::size_t end) {
      for (std::size_t part = 0; part < parts_.size(); ++part) {
        if (chunk.before[part] == nullptr || !is_followed(part)) continue;
        const std::array both{chunk.before[part], chunk.values[part]};
        call_.reducer.reduce(both, begin, end, up_to(chunk, part));
      }
    });
  }

  /// Returns whether the combined data up to the last rank of the part are needed: by this member for its own
  /// part, or by a next part that follows without a gap.
  bool is_followed(std::size_t part) const {
    return !parts_[part].child ||
           (part + 1 < parts_.size() && parts_[part].ranks.end == parts_[part + 1].ranks.first);
  }

  void pass_down(ScannedChunk& chunk, std::size_t index) {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      if (parts_[part].child)
        send(chunk, index, *parts_[part].child, chunk.before[part]);
      else
        store(chunk, index, chunk.before[part] == nullptr ? chunk.values[part] : up_to(chunk, part));
    }
  }

  void store(ScannedChunk& chunk, std::size_t index, const std::byte* result) {
    if (to_.is_dense() && result == to_.dense() + chunks_.begin(index)) return;
    chunk.unpack(to_, chunks_.begin(index), chunks_.size(index), result);
  }

  const Sysgroup& group_;
  const ScanCall& call_;
  const transport::Shadow& shadow_;
  const std::vector<ScanPart> parts_;
  const std::vector<std::size_t> run_begins_;
  const std::optional<std::size_t> above_;
  Stream from_, to_;
  const pipeline::Chunks chunks_; // equal at all members
  pipeline::Staging staging_;
  std::vector<ScannedChunk> lanes_;
};

} // namespace

void scan(team::Member& member, const Sysgroup& group, const ScanCall& call) {
  Scan(member, group, call).finish();
}

} // namespace helper::groups::sysgroup
