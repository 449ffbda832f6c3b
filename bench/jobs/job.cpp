// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "jobs/job.hpp"

#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace bench {
namespace {

constexpr int start_timeout_ms = 60'000;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// A socket in a private directory that only this user can enter. The destructor removes both.
class Listener {
public:
  Listener() {
    if (mkdtemp(directory_.data()) == nullptr) fail("cannot make a directory in /tmp");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (socket_ < 0 || bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(socket_, SOMAXCONN) != 0)
      fail("cannot listen on a socket");
  }
  ~Listener() {
    close(socket_);
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::string path() const { return directory_ + "/socket"; }
  int socket_number() const { return socket_; }

private:
  std::string directory_ = "/tmp/bench.XXXXXX";
  int socket_;
};

pid_t start(std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child;
  const int error = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + words.front());
  return child;
}

} // namespace

Job::Job(std::vector<std::string> launcher, const std::vector<std::string>& program, int ranks)
    : processes_(static_cast<std::size_t>(ranks), -1) {
  const Listener listener;
  std::vector<std::string> words = std::move(launcher);
  words.insert(words.end(), program.begin(), program.end());
  words.push_back(listener.path());
  launcher_ = start(words);
  try {
    accept_all(listener.socket_number(), ranks);
  } catch (const std::exception& error) {
    kill(launcher_, SIGTERM);
    waitpid(launcher_, nullptr, 0);
    throw std::runtime_error(fmt::format("{}: {}", fmt::join(words, " "), error.what()));
  }
}

void Job::accept_all(int listener, int ranks) {
  for (int i = 0; i < ranks; ++i) {
    pollfd arrival{listener, POLLIN, 0};
    if (poll(&arrival, 1, start_timeout_ms) != 1) throw std::runtime_error("its processes did not start");
    const int process = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    Hello hello;
    if (process < 0 || recv(process, &hello, sizeof hello, 0) != sizeof hello)
      throw std::runtime_error("a process ended");
    processes_.at(static_cast<std::size_t>(hello.rank)) = process;
    mpi_ = hello.mpi;
  }
}

Job::~Job() {
  const Command end{Command::Verb::end, 0, 0, 0};
  for (const int process : processes_) {
    send(process, &end, sizeof end, MSG_NOSIGNAL);
    close(process);
  }
  waitpid(launcher_, nullptr, 0);
}

std::vector<Answer> Job::execute(const Command& command) {
  for (const int process : processes_)
    if (send(process, &command, sizeof command, MSG_NOSIGNAL) != sizeof command)
      throw std::runtime_error("a process of " + mpi_ + " ended");
  std::vector<Answer> answers(processes_.size());
  for (std::size_t rank = 0; rank < processes_.size(); ++rank)
    if (recv(processes_[rank], &answers[rank], sizeof(Answer), 0) != sizeof(Answer))
      throw std::runtime_error("a process of " + mpi_ + " ended");
  return answers;
}

void add_peers(Program& program, std::vector<std::string>& launchers) {
  program
      .add_option("--peer", launchers, "Launcher of another MPI to compare with, as bench/run --mpi makes it")
      ->type_name("SCRIPT[,SETTINGS]")
      ->take_all();
}

std::vector<Peer> start_peers(const std::string& open_mpi_worker, const std::vector<std::string>& launchers,
                              const std::vector<std::string>& arguments, int ranks) {
  std::vector<Peer> peers;
  if (!open_mpi_worker.empty()) {
    std::vector<std::string> launcher{OPEN_MPI_LAUNCHER, "--oversubscribe", "-n", std::to_string(ranks)};
    if (geteuid() == 0) launcher.insert(launcher.begin() + 1, "--allow-run-as-root");
    launcher.push_back(open_mpi_worker);
    peers.push_back({"Open MPI", std::make_unique<Job>(std::move(launcher), arguments, ranks)});
  }
  for (const std::string& launcher : launchers) {
    const std::string script = launcher.substr(0, launcher.find(','));
    auto job = std::make_unique<Job>(std::vector{script, std::to_string(ranks)}, arguments, ranks);
    std::string name = job->mpi() + launcher.substr(script.size());
    peers.push_back({std::move(name), std::move(job)});
  }
  return peers;
}

std::string versions(const std::vector<Peer>& peers) {
  std::string text;
  for (const Peer& peer : peers) text += ", " + peer.job->mpi();
  return text;
}

} // namespace bench
