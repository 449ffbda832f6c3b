// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/panels.hpp"
#include "html.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bench::report {

/// What the benchmarks left in folders: of each NAME.json, and NAME.command. Of several folders that have a
/// NAME.json the first counts; folders need not be there.
class Results {
public:
  explicit Results(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  /// Nothing if it is not there. Throws nlohmann::json::exception if it is malformed.
  std::optional<nlohmann::json> json(const std::string& name) const;

  /// As above, and if it is not there, `page` says so.
  std::optional<nlohmann::json> json(const std::string& name, Page& page) const;

  /// What made it, when and where: the lines of NAME.command, or "".
  Source source(const std::string& name) const;

  /// All of a file; "" if it is not there.
  std::string text(const std::string& file) const;

private:
  std::string line(const std::string& file, int number) const;

  std::vector<std::string> folders_;
};

/// Each adds its sections to the page. Where a result is missing, the page says so. First of all the tables
/// of docs/, with what stands there beside them: what they are, and what limits the library.
void add_questions(Page& page, const Results& results);
void add_machine(Page& page, const Results& results);
void add_collectives(Page& page, const Results& results);
void add_messages(Page& page, const Results& results);
void add_timeline(Page& page, const Results& results);
void add_helpers(Page& page, const Results& results);
void add_groups(Page& page, const Results& results);
void add_trees(Page& page, const Results& results);
void add_nodes(Page& page, const Results& results);

/// MPI_Allreduce: how many times as fast as MPICH every way is.
Panel allreduce_speedup(const nlohmann::json& throughput);

/// One of the ways that `throughput` has measured, as people call it.
std::string way_name(const nlohmann::json& variant);

/// Of each number of ranks of the parent: the time of each way to create a communicator over the group's
/// size.
std::map<int, Panel> creation_panels(const nlohmann::json& creations);

/// A quantity of each way in the model over the size of the group.
Panel creation_model_panel(const nlohmann::json& points, const std::string& title, const char* quantity,
                           const std::string& y, double scale);

/// Load balancing by groups that merge: of real ranks, and of the most processes in the model beside the
/// paper.
Table mcmc_table(const std::vector<nlohmann::json>& results);

/// The names of what it leaves where ranks compute, by numbers of ranks; seconds of each balancing, a column
/// for each of these.
const std::vector<std::string>& mcmc_threads_results();
Table mcmc_threads_table(const std::vector<nlohmann::json>& results);

/// How far the model of enrolments is from the paper, by scheme; what follows if lists cost less than
/// assumed.
Table paper_deviations(const std::vector<nlohmann::json>& results);
Table list_cost_table(const std::vector<nlohmann::json>& results);

/// Bytes of a process over the number of processes, of all schemes.
Panel memory_panel(const nlohmann::json& cells, const char* quantity, const std::string& title);

/// GB/s of bytes and quantiles of seconds.
double gigabytes(const nlohmann::json& bytes, const nlohmann::json& seconds);

/// The names of what `helpers` leaves in each of its settings.
const std::vector<std::string>& helper_results();

/// How many times as fast as a team of 1 others are; sums over all threads, beside those written by hand.
Table helper_table(const std::vector<nlohmann::json>& results);
Table sum_table(const std::vector<nlohmann::json>& results);

/// The names of what `enrolments` leaves, by numbers of ranks.
const std::vector<std::string>& enrolment_results();

/// A row for each number of ranks and fraction of them, a column for each scheme: messages of the ranks and
/// of the model, and microseconds.
Table enrolment_table(const std::vector<nlohmann::json>& results);

/// Programs whose threads are idle while one communicates: a row for each size and way to wait, a column for
/// each way to run them.
Table deposit_table(const std::vector<nlohmann::json>& results);
Table columns_table(const std::vector<nlohmann::json>& results);
Table columns_in_region_table(const std::vector<nlohmann::json>& results);

/// What the library selects on many nodes, and MPICH's time over its; that time over the size, of the most
/// nodes.
Table node_table(const nlohmann::json& cells);
Table other_node_table(const nlohmann::json& cells);
Panel nodes_panel(const nlohmann::json& cells);

} // namespace bench::report
