// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "jobs/worker.hpp"

#include "jobs/record.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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

/// Executes commands from the socket until the command `end`. A subject lives until a command names another
/// one.
void serve(const std::string& socket, const MakeSubject& make) {
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
    Answer answer{0, true};
    if (command.verb == Command::Verb::check) {
      answer.right = subject->is_right(true);
    } else {
      PMPI_Barrier(MPI_COMM_WORLD);
      subject->seconds(true, untimed_calls(command.calls));
      answer.seconds = subject->seconds(true, command.calls);
    }
    send(connection, &answer, sizeof answer, MSG_NOSIGNAL);
  }
  throw std::runtime_error("the measuring program is gone");
}

} // namespace

int work(int argc, char** argv, const MakeSubject& make) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    serve(argv[argc - 1], make);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}

} // namespace bench
