// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/tree/shrinking.hpp"
#include "study.hpp"

namespace bench {
namespace {

using namespace helper::groups::tree;

constexpr int tree_branching = 2;
constexpr Rank tree_size = 15;

/// Holes are at the root, one below another, and among the leaves.
bool participates(Id process) {
  constexpr std::array<Id, 6> holes{0, 1, 4, 5, 8, 13};
  return std::ranges::find(holes, process) == holes.end();
}

std::size_t index(Id process) {
  return static_cast<std::size_t>(process);
}

/// An enrolment that delivers messages in the order in which they were sent.
class Enrolling {
public:
  struct Letter {
    Id from, to;
    EnrolmentMessage message;
  };

  explicit Enrolling(Scheme scheme) {
    scheme.branching = tree_branching;
    for (Id id = 0; id < tree_size; ++id) {
      const auto& place =
          places.emplace_back(std::make_unique<Place>(in_communicator(id, tree_size, tree_branching)));
      machines.push_back(
          make_enrolment(scheme, *place, participates(id), [this, id](Id to, EnrolmentMessage message) {
            letters.push_back({id, to, std::move(message)});
          }));
      machines.back()->start();
    }
    for (std::size_t next = 0; next < letters.size(); ++next) {
      const Letter letter = letters[next];
      machines[index(letter.to)]->receive(letter.from, letter.message);
    }
  }

  std::vector<std::unique_ptr<const Place>> places;
  std::vector<std::unique_ptr<Enrolment>> machines;
  std::vector<Letter> letters; ///< all that were sent
};

class Shape {
public:
  explicit Shape(const Enrolling& enrolling) : enrolling_(enrolling), below_(index(tree_size)) {
    for (const auto& place : enrolling.places)
      for (const auto& child : place->children) below_[index(place->id)].push_back(child.id);
  }

  /// Changes the tree according to the reports of the vertices of this level. The levels below have reported
  /// before. Holes that got no filler leave the tree.
  void report(std::int32_t level) {
    for (const auto& [from, to, message] : enrolling_.letters)
      if (message.kind() == EnrolmentMessage::EnrolmentKind::relocation &&
          enrolling_.places[index(from)]->depth == level)
        fill(from, to, message);
    for (const auto& place : enrolling_.places)
      if (place->depth == level && !participates(place->id)) take_out(place->id);
  }

  /// Calls `visit(process, parent)` for a process and those below it, in the order in which hash numbers
  /// them.
  template <class Visit>
  void for_each(const Visit& visit, Id process, Id parent = nobody) const {
    visit(process, parent);
    for (const Id child : below_[index(process)]) for_each(visit, child, process);
  }

  Id root() const { return root_; }

private:
  void fill(Id hole, Id filler, const EnrolmentMessage& message) {
    take_out(filler);
    auto& own = below_[index(filler)];
    MessageReader reader(message);
    reader.get(); // the level
    for (auto count = reader.get(); count > 0; --count)
      if (const Id root = get_report(reader).root.id;
          root != filler && std::ranges::find(own, root) == own.end())
        own.push_back(root);
    below_[index(hole)] = {};
    for (auto& children : below_) std::ranges::replace(children, hole, filler);
    if (root_ == hole) root_ = filler;
  }

  void take_out(Id process) {
    for (auto& children : below_) std::erase(children, process);
  }

  const Enrolling& enrolling_;
  std::vector<std::vector<Id>> below_;
  Id root_ = 0;
};

/// Adds the cells of a figure: `add(column, process, cell)`.
template <class Add>
void show_shrinking(const Scheme& scheme, const Add& add) {
  const Enrolling enrolling(scheme);
  Shape shape(enrolling);
  const auto add_tree = [&](const std::string& column) {
    const auto add_parent = [&](Id process, Id parent) {
      add(column, process, parent == nobody ? "root" : fmt::format("below {}", parent));
    };
    shape.for_each(add_parent, shape.root());
  };
  add_tree("before");
  if (scheme.filler == Scheme::Filler::none) { // the tree keeps its holes
    for (const auto& [from, to, message] : enrolling.letters) {
      if (message.kind() != EnrolmentMessage::EnrolmentKind::report) continue;
      MessageReader reader(message);
      add("size of the subtree", from, std::to_string(get_report(reader).size));
    }
  } else {
    for (std::int32_t level = depth(tree_size - 1, tree_branching); level >= 0; --level) {
      shape.report(level);
      add_tree(fmt::format("level {} has reported", level));
    }
  }
  Rank expected = 0;
  const auto add_rank = [&](Id process, Id) {
    if (!participates(process)) return;
    const Rank rank = enrolling.machines[index(process)]->group()->rank;
    if (rank != expected++)
      throw std::logic_error("the ranks are not those of the tree that the messages tell of");
    add("rank", process, std::to_string(rank));
  };
  shape.for_each(add_rank, shape.root());
}

} // namespace

Json shrinking_figures() {
  Json cells = Json::array();
  const auto adder = [&](const std::string& figure) {
    return [&cells, figure](const std::string& column, Id process, const std::string& cell) {
      const auto name = fmt::format("{}{}", process, participates(process) ? "" : " (hole)");
      cells.push_back({{"figure", figure}, {"process", name}, {"column", column}, {"cell", cell}});
    };
  };
  for (const char* scheme : {"hash-child", "hash-leaf", "hash"})
    show_shrinking(named_scheme(scheme).scheme, adder(scheme));
  for (const NamedScheme& scheme : named_schemes()) {
    const Enrolling enrolling(scheme.scheme);
    for (const auto& machine : enrolling.machines)
      if (const auto& place = machine->group())
        adder("places")(scheme.name, place->id,
                        place->parent == nobody ? fmt::format("{}, root", place->rank)
                                                : fmt::format("{}, below {}", place->rank, place->parent));
  }
  return cells;
}

} // namespace bench
