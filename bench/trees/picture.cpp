// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "picture.hpp"

#include "common/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <utility>

namespace bench {

namespace {

using namespace helper::groups::tree;

/// A group's places by process; those of others are empty.
using Group = std::vector<std::optional<Place>>;

/// Hands messages over in the order in which they were sent.
class Post : public Sink {
public:
  void send(Id to, EnrolmentMessage message) override {
    letters_.push_back({sender_, to, std::move(message)});
  }

  Group enrol(const Group& parent, const std::vector<bool>& participates, const Scheme& scheme) {
    std::vector<std::unique_ptr<Enrolment>> processes;
    for (std::size_t id = 0; id < parent.size(); ++id) {
      sender_ = static_cast<Id>(id);
      processes.push_back(make_enrolment(scheme, *parent[id], participates[id]));
      processes.back()->start(*this);
    }
    for (; !letters_.empty(); letters_.pop_front()) {
      const Letter letter = letters_.front();
      sender_ = letter.to;
      processes[static_cast<std::size_t>(letter.to)]->receive(letter.from, letter.message, *this);
    }
    Group group;
    for (const auto& process : processes) group.push_back(process->group());
    return group;
  }

private:
  struct Letter {
    Id from, to;
    EnrolmentMessage message;
  };
  Id sender_ = nobody;
  std::deque<Letter> letters_;
};

constexpr double radius = 18, step = 44, level = 64, margin = 30; // pixels

struct Point {
  double x, y;
};

/// A tree, level by level; leaves side by side, other vertices in the middle above their children.
struct Drawing {
  std::string elements;
  double width = 0, height = 0;
};

/// Adds a vertex and all below it, and tells where it is.
Point draw(Drawing& drawing, const Group& tree, const std::vector<bool>& participates, const Place& place) {
  std::vector<Point> below;
  for (const auto& child : place.children)
    below.push_back(draw(drawing, tree, participates, *tree[static_cast<std::size_t>(child.id)]));
  Point own{0, place.depth * level};
  if (below.empty())
    own.x = std::exchange(drawing.width, drawing.width + step);
  else
    own.x = (below.front().x + below.back().x) / 2;
  drawing.height = std::max(drawing.height, own.y);
  for (const auto& [x, y] : below)
    drawing.elements +=
        fmt::format("<line x1='{}' y1='{}' x2='{}' y2='{}'/>\n", own.x, own.y + radius, x, y - radius);
  const bool is_hole = !participates[static_cast<std::size_t>(place.id)];
  drawing.elements += fmt::format("<circle cx='{0}' cy='{1}' r='{2}'{3}/><text x='{0}' y='{4}'>{5}</text>"
                                  "<text x='{0}' y='{6}' class='rank'>rank {7}</text>\n",
                                  own.x, own.y, radius, is_hole ? " stroke-dasharray='4'" : "", own.y + 1,
                                  place.id, own.y + 11, place.rank);
  return own;
}

} // namespace

void draw_trees(const std::vector<const NamedScheme*>& schemes, Rank processes, double fraction,
                const std::string& file) {
  std::mt19937 random(1);
  std::vector<bool> participates;
  std::generate_n(std::back_inserter(participates), processes,
                  [&] { return std::generate_canonical<double, 32>(random) < fraction; });
  Group parent;
  for (Id id = 0; id < processes; ++id)
    parent.push_back(in_communicator(id, processes, schemes.front()->scheme.branching));
  std::string trees;
  double width = 0, height = margin;
  const auto add = [&](const std::string& name, const Group& tree) {
    Drawing drawing;
    for (const auto& place : tree)
      if (place && place->parent == nobody) draw(drawing, tree, participates, *place);
    trees += fmt::format("<g transform='translate({} {})'>\n<text y='-{}' class='name'>{}</text>\n{}</g>\n",
                         margin, height + margin, margin, name, drawing.elements);
    width = std::max(width, drawing.width);
    height += drawing.height + 3 * margin;
  };
  add("before", parent);
  for (const NamedScheme* scheme : schemes)
    add(scheme->name, Post().enrol(parent, participates, scheme->scheme));
  auto out = bench::create_file(file);
  out << fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{}' height='{}'>\n"
      "<style>line, circle {{ stroke: black; fill: none }}\n"
      "text {{ font: 11px sans-serif; text-anchor: middle }}\n"
      ".rank {{ font-size: 8px }} .name {{ font-size: 15px; text-anchor: start }}</style>\n{}</svg>\n",
      width + margin, height, trees);
}

} // namespace bench
