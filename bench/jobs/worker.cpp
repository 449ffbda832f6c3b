// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "jobs/worker.hpp"

#include "jobs/record.hpp"

#include <mpi.h>

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

/// Returns this rank and the first line of the MPI library's version.
Hello hello() {
  Hello hello{};
  PMPI_Comm_rank(MPI_COMM_WORLD, &hello.rank);
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  PMPI_Get_library_version(text, &length);
  std::string mpi(text, static_cast<std::size_t>(length));
  mpi = mpi.substr(0, mpi.find_first_of(",\n"));
  for (char& character : mpi)
    if (character == '\t') character = ' ';
  mpi.copy(hello.mpi, sizeof hello.mpi - 1);
  return hello;
}

/// Executes commands on a subject. The subject lives until a command names another one.
class Executor {
public:
  explicit Executor(const MakeSubject& make) : make_(make) {}

  Answer operator()(const Command& command) {
    if (!subject_ || command.operation != operation_ || command.bytes != bytes_) {
      operation_ = command.operation;
      bytes_ = command.bytes;
      subject_.reset(); // frees its memory before the next one allocates
      subject_ = make_(operation_, bytes_);
    }
    const bool native = command.team == 0;
    if (command.verb == Command::Verb::check) return {0, subject_->is_right(native)};
    PMPI_Barrier(MPI_COMM_WORLD);
    subject_->seconds(native, untimed_calls(command.calls));
    return {subject_->seconds(native, command.calls), true};
  }

private:
  const MakeSubject& make_;
  std::int32_t operation_ = 0;
  std::uint64_t bytes_ = 0;
  std::unique_ptr<Subject> subject_;
};

/// Executes commands from the socket until the command `end`.
void serve(const std::string& socket, const Phase& phase, Executor execute) {
  const int connection = connect_to(socket);
  const Hello greeting = hello();
  send(connection, &greeting, sizeof greeting, MSG_NOSIGNAL);
  for (Command command; recv(connection, &command, sizeof command, 0) == sizeof command;) {
    if (command.verb == Command::Verb::end) {
      close(connection);
      return;
    }
    Answer answer{};
    phase(command.team, [&] { answer = execute(command); });
    send(connection, &answer, sizeof answer, MSG_NOSIGNAL);
  }
  throw std::runtime_error("the measuring program is gone");
}

} // namespace

// Programs with teams link another definition.
[[gnu::weak]] void run_phases(int, const char* const*, const std::function<void(const Phase&)>& body) {
  body([](int, const std::function<void()>& inner) { inner(); });
}

int work(int argc, char** argv, const MakeSubject& make) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    run_phases(argc - 2, argv + 1, [&](const Phase& phase) { serve(argv[argc - 1], phase, Executor(make)); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}

} // namespace bench
