// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/bench.hpp"
#include "model/enrol.hpp"

namespace bench {

using helper::groups::tree::Rank;

/// A scheme of enrolment with its name on the command line.
struct NamedScheme {
  std::string name;
  helper::groups::tree::Scheme scheme;
  std::string in_paper; ///< its name in Table II; empty if Table II does not have it
};

const std::vector<NamedScheme>& named_schemes();
const NamedScheme& named_scheme(const std::string& name);

/// The paper's measurement of one scheme, fraction and number of processes.
struct Measured {
  std::string scheme;
  double fraction;
  Rank processes;
  double seconds;
  std::size_t messages;
};

/// Table II.
class Paper {
public:
  explicit Paper(const std::string& file);

  std::optional<Measured> find(const NamedScheme& scheme, double fraction, Rank processes) const;

  /// Returns the number of participants m. The paper's count of messages of the centralised scheme, (n - 1) +
  /// (m - 1), gives it. For a fraction that the paper does not have, it is the nearest number.
  Rank participants(double fraction, Rank processes) const;

private:
  std::vector<Measured> cells_;
};

/// Returns process 0 and other processes at random, as many as in the paper. The same in every run.
std::vector<bool> draw_participants(Rank participants, Rank processes);

struct Cell {
  const NamedScheme* scheme;
  double fraction;
  Rank processes;
  model::Enrolled ours;
  std::optional<Measured> paper;

  double time_deviation() const { return ours.seconds / paper->seconds - 1; }
  double message_deviation() const {
    return static_cast<double>(ours.messages) / static_cast<double>(paper->messages) - 1;
  }
};

Cell run_cell(const Paper& paper, const NamedScheme& scheme, double fraction, Rank processes,
              double list_cost = 1, const model::Costs& costs = model::blue_gene);

/// Fits latency and overhead to Table II's hash column, up to 32k processes, by least squares of logarithms.
/// model::blue_gene was found this way; all other cells are predictions. Prints its progress.
model::Costs fit(const Paper& paper);

/// Returns the cells of Fig. 7, if a list costs `cost` times as much as a message: hash with each filler, and
/// balance, at each fraction of the paper.
std::vector<Cell> run_list_cost(const Paper& paper, double cost, Rank processes);

/// Returns what each of few processes did when, in an enrolment of half of them: the process, the seconds
/// from the start (`since` and `until`), and the kind of the message that it handled. The kind is "" for the
/// passes before and after the enrolment.
Json run_traced(const NamedScheme& scheme, Rank processes);

/// Runs the library's state machines on a tree of 15 processes, of which 9 enrol. Returns the cells of tables
/// that correspond to the paper's figures, which show another tree. A row is a process. The columns are:
/// - hash-child and hash-leaf (Figs. 1 to 3): the parents while the reports go up, and the ranks,
/// - hash (Fig. 4): the parents, the sizes that are reported, and the ranks,
/// - places: the rank and the parent in the new group, by scheme.
/// Throws std::logic_error if the messages and the ranks disagree about the tree.
Json shrinking_figures();

} // namespace bench
