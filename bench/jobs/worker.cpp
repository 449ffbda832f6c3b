// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "jobs/worker.hpp"

#include <mpi.h>

#include <cstring>
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

/// The first line of what MPI says of itself.
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

} // namespace

void serve(const std::string& socket, const Phase& phase,
           const std::function<Answer(const Command&)>& execute) {
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

} // namespace bench
