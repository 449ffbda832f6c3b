// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "settings.hpp"

#include "jobs/peers.hpp"

#include <CLI/CLI.hpp>
#include <bit>
#include <map>
#include <unistd.h>

namespace bench {
namespace {

const std::map<std::string, ProgressStyle> progress_styles{
    {"none", ProgressStyle::none}, {"lines", ProgressStyle::lines}, {"terminal", ProgressStyle::terminal}};

constexpr auto description =
    R"(Throughput of collective operations: native MPI against helper teams of several sizes.

Every message size is measured with native MPI and with each team in turn, over and over, so that a
disturbance of the machine hits all alike. A sample times so many calls that it takes at least 100 us
on the slowest rank, or 20 ms if there are more ranks than processing units, which then sleep between
samples. Shown are the median, the 10th and the 90th percentile of the samples, the bandwidth (bytes
of the message over the median), and how many times as fast as native MPI a team is. The results of every
variant are checked before it is timed.

To be run under mpiexec: mpiexec -n 2 throughput --max 1MiB)";

} // namespace

void add_options(CLI::App& app, Settings& settings) {
  app.name("throughput");
  app.description(description);
  app.get_formatter()->column_width(24);
  if (isatty(STDERR_FILENO)) settings.progress = ProgressStyle::terminal;

  // Validators would append their own descriptions to the type names in --help.
  const auto silent = [](CLI::Validator validator) { return validator.description(""); };
  // CheckedTransformer would show the values, too.
  const auto one_of = [&](const auto& names) {
    return silent(CLI::IsMember(names) & CLI::Transformer(names));
  };
  const auto add_list = [&](const char* flag, auto& value, const char* help) {
    return app.add_option(flag, value, help)->delimiter(',')->type_name("LIST");
  };
  const auto read_size = [&](CLI::Option* option) {
    option->transform(silent(CLI::AsSizeValue(false)))
        ->check(silent(CLI::Range(sizeof(double), std::size_t{8} << 30)));
  };
  const auto add_size = [&](const char* flag, std::size_t& value, const char* help) {
    read_size(app.add_option(flag, value, help)->type_name("BYTES"));
  };
  add_list("--operations", settings.operations,
           "Which of allreduce, allreduce-ints, bcast, bcast-vector, reduce, reduce-scatter,\nscan, exscan, "
           "allgather, "
           "allgatherv, gather, scatter, alltoall,\nalltoallv and barrier; default: the first three")
      ->transform(one_of(operations()));
  read_size(add_list("--sizes", settings.sizes, "Of messages, such as 8,64KiB, instead of --min and --max"));
  add_size("--min", settings.min_bytes, "Smallest message, such as 8 or 4KiB; default: 8");
  add_size("--max", settings.max_bytes, "Largest message; sizes are powers of two; default: 64MiB");
  add_list("--teams", settings.teams,
           "Team sizes, such as 1,2,3; default: 1, 2, 4 ... up to the\nprocessing units per rank, but at "
           "least up to 2")
      ->check(silent(CLI::Range(1, 1024)));
  app.add_option("--stride", settings.stride, "Distance of the vector's doubles, in doubles; default: 2")
      ->type_name("N")
      ->check(silent(CLI::Range(1, 1024)));
  app.add_option("--memory", settings.memory,
                 "Of buffers: malloc, or alloc_mem, MPI_Alloc_mem of the MPI at hand;\ndefault: malloc")
      ->type_name("KIND")
      ->transform(one_of(memories()));
  app.add_option("--budget", settings.budget, "Time for all measurements together; default: 60")
      ->type_name("SECONDS")
      ->check(silent(CLI::PositiveNumber));
  add_peers(app, settings.peers);
  app.add_option("--json", settings.json, "Write everything measured to this file")
      ->type_name("FILE")
      ->take_last();
  app.add_option("--progress", settings.progress,
                 "terminal (a line that is overwritten), lines or none; default:\n"
                 "terminal if standard error is one (mpiexec hides it), else lines")
      ->type_name("STYLE")
      ->take_last()
      ->transform(one_of(progress_styles));
  app.callback([&settings] {
    if (std::bit_ceil(settings.min_bytes) > settings.max_bytes)
      throw CLI::ValidationError("--min", "no power of two lies between this and --max");
  });
}

} // namespace bench
