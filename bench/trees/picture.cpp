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

namespace bench {

namespace {

using namespace helper::tree;

/// A group's places by process; those of others are empty.
using Group = std::vector<std::optional<Place>>;

/// Hands messages over in the order in which they were sent.
class Post : public Sink {
public:
  void send(Id to, Message message) override { letters_.push_back({sender_, to, std::move(message)}); }

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
    Message message;
  };
  Id sender_ = nobody;
  std::deque<Letter> letters_;
};

std::string drawn(const std::string& name, const Group& tree, const std::vector<bool>& participates) {
  std::string text = fmt::format("  subgraph \"cluster_{0}\" {{\n    label=\"{0}\";\n", name);
  for (std::size_t id = 0; id < tree.size(); ++id) {
    if (!tree[id]) continue;
    text += fmt::format("    \"{0}_{1}\" [label=\"{1}\\nrank {2}\"{3}];\n", name, id, tree[id]->rank,
                        participates[id] ? "" : ", style=dashed");
    for (const auto& child : tree[id]->children)
      text += fmt::format("    \"{0}_{1}\" -> \"{0}_{2}\";\n", name, id, child.id);
  }
  return text + "  }\n";
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
  std::string text = "digraph trees {\n  node [shape=circle, fixedsize=true, width=0.7, fontsize=10];\n";
  text += drawn("before", parent, participates);
  for (const NamedScheme* scheme : schemes)
    text += drawn(scheme->name, Post().enrol(parent, participates, scheme->scheme), participates);
  auto out = bench::create_file(file);
  out << text << "}\n";
}

} // namespace bench
