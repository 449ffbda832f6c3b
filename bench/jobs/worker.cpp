// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "jobs/worker.hpp"

#include "jobs/record.hpp"

#ifdef HAS_TEAMS
#include "common/crew.hpp"
#endif

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace bench {
namespace {

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (connection < 0 || connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("cannot connect to " + path);
  return connection;
}

/// Calls `body` in a phase of a team of size `team`; 0: outside any phase.
using Phase = std::function<void(int team, const std::function<void()>& body)>;

/// Executes commands from the socket until the command `end`. A subject lives until a command names another
/// one.
void serve(const std::string& socket, const Phase& phase, const MakeSubject& make) {
  const int connection = connect_to(socket);
  Hello greeting{};
  PMPI_Comm_rank(MPI_COMM_WORLD, &greeting.rank);
  mpi_version().copy(greeting.mpi, sizeof greeting.mpi - 1);
  send(connection, &greeting, sizeof greeting, MSG_NOSIGNAL);
  std::unique_ptr<Subject> subject;
  Command last{};
  for (Command command; recv(connection, &command, sizeof command, 0) == sizeof command; last = command) {
    if (command.verb == Command::Verb::end) {
      close(connection);
      return;
    }
    if (!subject || command.operation != last.operation || command.bytes != last.bytes) {
      subject.reset(); // frees its memory before the next one allocates
      subject = make(command.operation, command.bytes);
    }
    const bool native = command.team == 0;
    Answer answer{0, true};
    phase(command.team, [&] {
      if (command.verb == Command::Verb::check) {
        answer.right = subject->is_right(native);
        return;
      }
      PMPI_Barrier(MPI_COMM_WORLD);
      subject->seconds(native, untimed_calls(command.calls));
      answer.seconds = subject->seconds(native, command.calls);
    });
    send(connection, &answer, sizeof answer, MSG_NOSIGNAL);
  }
  throw std::runtime_error("the measuring program is gone");
}

/// Calls `serve` with a Phase for teams of these sizes. In a program without teams, which may be of an MPI
/// without the library, it only calls the body.
void serve_in_phases([[maybe_unused]] const std::vector<int>& teams,
                     const std::function<void(const Phase&)>& serve) {
#ifdef HAS_TEAMS
  Crew crew(teams);
  crew.run([&] { serve([&](int team, const std::function<void()>& body) { crew.phase(team, body); }); });
#else
  serve([](int, const std::function<void()>& body) { body(); });
#endif
}

} // namespace

int work(int argc, char** argv, const MakeSubject& make) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    std::vector<int> teams;
    for (int i = 1; i < argc - 1; ++i) teams.push_back(std::atoi(argv[i]));
    serve_in_phases(teams, [&](const Phase& phase) { serve(argv[argc - 1], phase, make); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}

} // namespace bench
