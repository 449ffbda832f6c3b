// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/tree/shrinking.hpp"
#include "study.hpp"

namespace bench {
namespace {

using namespace helper::groups::tree;

constexpr int tree_branching = 2;
constexpr std::size_t tree_size = 15;

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
    for (Id id = 0; index(id) < tree_size; ++id) {
      const auto& place = places.emplace_back(
          std::make_unique<Place>(in_communicator(id, static_cast<Rank>(tree_size), tree_branching)));
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
  explicit Shape(const Enrolling& enrolling) : enrolling_(enrolling), below_(tree_size) {
    for (const auto& place : enrolling.places)
      for (const auto& child : place->children) below_[index(place->id)].push_back(child.id);
  }

  /// Changes the tree according to the reports of the vertices of this level. The levels below have reported
  /// before.
  void report(std::int32_t level) {
    for (const auto& place : enrolling_.places) {
      if (place->depth != level || participates(place->id)) continue;
      const auto relocation = std::ranges::find_if(enrolling_.letters, [&](const auto& letter) {
        return letter.from == place->id &&
               letter.message.kind() == EnrolmentMessage::EnrolmentKind::relocation;
      });
      if (relocation != enrolling_.letters.end())
        fill(place->id, relocation->to, relocation->message);
      else
        take_out(place->id);
    }
  }

  std::vector<Vertex> vertices() const {
    std::vector<Vertex> all;
    add(all, root_, nobody);
    return all;
  }

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

  void add(std::vector<Vertex>& all, Id process, Id parent) const {
    all.push_back({process, parent, participates(process), ""});
    for (const Id child : below_[index(process)]) add(all, child, process);
  }

  const Enrolling& enrolling_;
  std::vector<std::vector<Id>> below_;
  Id root_ = 0;
};

/// Returns a picture for each level that has reported, the lowest first. `shape` ends up in its final state.
std::vector<TreePicture> upward(const std::string& figure, const std::string& filler, Shape& shape) {
  std::vector<TreePicture> pictures{{figure, filler + ": before", shape.vertices()}};
  for (std::int32_t level = depth(static_cast<Rank>(tree_size) - 1, tree_branching); level >= 0; --level) {
    shape.report(level);
    pictures.push_back({figure, fmt::format("{}: level {} has reported", filler, level), shape.vertices()});
  }
  return pictures;
}

std::vector<Vertex> with_ranks(std::vector<Vertex> vertices, const Enrolling& enrolling) {
  for (Vertex& vertex : vertices)
    if (const auto& place = enrolling.machines[index(vertex.process)]->group())
      vertex.label = std::to_string(place->rank);
  return vertices;
}

/// Throws unless hash has assigned the ranks in the order of the remaining tree.
void expect_ranks_in_order(const std::vector<Vertex>& vertices, const Enrolling& enrolling) {
  Rank expected = 0;
  for (const Vertex& vertex : vertices)
    if (vertex.participates && enrolling.machines[index(vertex.process)]->group()->rank != expected++)
      throw std::logic_error("the ranks are not those of the tree that the messages tell of");
}

/// Adds the sizes of subtrees. The root does not report its size: it is the size of the group.
std::vector<Vertex> with_sizes(std::vector<Vertex> vertices, const Enrolling& enrolling) {
  for (const auto& machine : enrolling.machines)
    if (machine->group()) vertices.front().label = std::to_string(machine->group()->size);
  for (Vertex& vertex : vertices) {
    for (const auto& [from, to, message] : enrolling.letters) {
      if (from != vertex.process || message.kind() != EnrolmentMessage::EnrolmentKind::report) continue;
      MessageReader reader(message);
      vertex.label = std::to_string(get_report(reader).size);
    }
  }
  return vertices;
}

std::vector<Vertex> new_tree(const Enrolling& enrolling) {
  std::vector<Vertex> vertices;
  for (const auto& machine : enrolling.machines)
    if (const auto& place = machine->group())
      vertices.push_back({place->id, place->parent, true, std::to_string(place->rank)});
  std::ranges::sort(vertices, {}, [&](const Vertex& vertex) {
    return enrolling.machines[index(vertex.process)]->group()->rank;
  });
  return vertices;
}

} // namespace

std::vector<TreePicture> shrinking_pictures() {
  std::vector<TreePicture> pictures;
  const auto add_upward = [&](const char* figure, const char* filler, const char* scheme) {
    const Enrolling enrolling(named_scheme(scheme).scheme);
    Shape shape(enrolling);
    const auto stages = upward(figure, filler, shape);
    expect_ranks_in_order(shape.vertices(), enrolling);
    pictures.insert(pictures.end(), stages.begin(), stages.end());
  };
  add_upward("1", "Child", "hash-child");
  add_upward("2", "Leaf", "hash-leaf");

  const Enrolling child(named_scheme("hash-child").scheme), none(named_scheme("hash").scheme);
  const auto shrunken = std::ranges::find(pictures, "2", &TreePicture::figure) - 1;
  pictures.push_back({"3", "Child: ranks, below the processes", with_ranks(shrunken->vertices, child)});
  const auto original = Shape(none).vertices();
  expect_ranks_in_order(original, none);
  pictures.push_back({"4", "No filler: sizes of subtrees", with_sizes(original, none)});
  pictures.push_back({"4", "No filler: ranks, below the processes", with_ranks(original, none)});

  for (const NamedScheme& scheme : named_schemes())
    pictures.push_back(
        {"places", "The new tree and its ranks: " + scheme.name, new_tree(Enrolling(scheme.scheme))});
  return pictures;
}

} // namespace bench
