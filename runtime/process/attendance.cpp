// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/attendance.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "process/process.hpp"

namespace helper::process {

namespace {

/// The processes of an MPI_COMM_WORLD leave notes for one another on a notice board, without MPI. Notes left
/// before MPI_Init are found after it, since MPI_Init returns only when all processes have called it. Only
/// one thread uses a board. A board never waits for other processes.
class NoticeBoard {
public:
  virtual ~NoticeBoard() = default;
  NoticeBoard(const NoticeBoard&) = delete;
  NoticeBoard& operator=(const NoticeBoard&) = delete;

  /// Returns the index of this program among the programs that were started together; nothing if unknown.
  virtual std::optional<int> application() { return std::nullopt; }

  /// Leaves a note. `is_asked`: the settings of this process ask the library to do something. On failure
  /// no process finds the note. If several processes leave notes of one name, a reader may find any.
  virtual void leave(const std::string& name, bool is_asked) = 0;
  /// Returns `is_asked` of the note; nothing if there is no such note.
  virtual std::optional<bool> read(const std::string& name) = 0;

  const int rank;
  const int size;

protected:
  NoticeBoard(int own_rank, int ranks) noexcept : rank(own_rank), size(ranks) {}
};

// Processes with another version of the library may use another protocol, so they must not find these notes.
const std::string prefix = std::string("mpi_helper-") + version() + "-";

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : number(text);
}

/// The key-value space of the launcher Hydra. It speaks version 1 of the Process Management Interface (PMI).
class Hydra : public NoticeBoard {
public:
  static std::unique_ptr<NoticeBoard> find() {
    // Hydra sets the first variable, not the second. Other launchers may use another version of PMI.
    if (std::getenv("MPI_LOCALRANKID") == nullptr || std::getenv("PMI_JOBID") != nullptr) return nullptr;
    const auto rank = number_in_environment("PMI_RANK");
    const auto size = number_in_environment("PMI_SIZE");
    const auto file = number_in_environment("PMI_FD");
    struct stat state;
    if (!rank || !size || !file || fstat(*file, &state) != 0 || !S_ISSOCK(state.st_mode)) return nullptr;
    std::unique_ptr<Hydra> found(new Hydra(*rank, *size, *file));
    // MPI will send the same command again, which Hydra accepts.
    found->ask("init pmi_version=1 pmi_subversion=1", "rc");
    found->space_ = found->ask("get_my_kvsname", "kvsname").value_or("");
    return found->works_ ? std::move(found) : nullptr;
  }

  std::optional<int> application() override {
    const auto answer = ask("get_appnum", "appnum");
    return answer ? number(*answer) : std::nullopt;
  }

  void leave(const std::string& name, bool is_asked) override {
    ask("put kvsname=" + space_ + " key=" + prefix + name + " value=" + (is_asked ? asked : quiet), "rc");
  }

  std::optional<bool> read(const std::string& name) override {
    const auto value = ask("get kvsname=" + space_ + " key=" + prefix + name, "value");
    if (value == asked) return true;
    if (value == quiet) return false;
    return std::nullopt;
  }

private:
  static constexpr const char* asked = "asked";
  static constexpr const char* quiet = "quiet";

  Hydra(int own_rank, int ranks, int file) noexcept : NoticeBoard(own_rank, ranks), file_(file) {}

  /// Returns the field of the answer to a command; nothing if the answer lacks it, or there is no answer.
  std::optional<std::string> ask(const std::string& command, const std::string& field) {
    const std::string line = "cmd=" + command + "\n";
    works_ =
        works_ && send(file_, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
    const std::string answer = " " + read_line();
    const std::size_t found = answer.find(" " + field + "=");
    if (found == std::string::npos) return std::nullopt;
    const std::size_t begin = found + field.size() + 2;
    return answer.substr(begin, answer.find_first_of(" \n", begin) - begin);
  }

  /// Returns all that arrives until a line ends; no other request is in flight. Empty if nothing arrives.
  std::string read_line() {
    constexpr int patience =
        60'000; // in milliseconds; a launcher that does not answer would also keep MPI from starting
    std::string text;
    while (works_ && !text.ends_with('\n')) {
      pollfd waiting{file_, POLLIN, 0};
      char bytes[256];
      const ssize_t count =
          poll(&waiting, 1, patience) == 1 ? recv(file_, bytes, sizeof bytes, MSG_DONTWAIT) : -1;
      works_ = count > 0;
      if (works_) text.append(bytes, static_cast<std::size_t>(count));
    }
    return works_ ? text : std::string();
  }

  const int file_;
  bool works_ = true;
  std::string space_;
};

/// The notes are names of abstract Unix sockets that the processes of the node bind. A note disappears with
/// its process. For jobs with PMIx that are on one node.
class Sockets : public NoticeBoard {
public:
  static std::unique_ptr<NoticeBoard> find() {
    const char* const job = std::getenv("PMIX_NAMESPACE");
    const auto rank = number_in_environment("PMIX_RANK");
    const auto size = number_in_environment("OMPI_COMM_WORLD_SIZE");
    if (job == nullptr || !rank || !size || size != number_in_environment("OMPI_COMM_WORLD_LOCAL_SIZE"))
      return nullptr;
    std::unique_ptr<Sockets> found(new Sockets(*rank, *size, job));
    return found->begin_.size() + longest_end > sizeof sockaddr_un::sun_path ? nullptr : std::move(found);
  }

  ~Sockets() override {
    for (const int socket : bound_) close(socket);
  }

  void leave(const std::string& name, bool is_asked) override {
    const int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (made < 0) return;
    bound_.push_back(made);
    apply(bind, made, name, is_asked);
  }

  std::optional<bool> read(const std::string& name) override {
    for (const bool is_asked : {false, true}) {
      const int trying = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
      const bool there = trying >= 0 && apply(connect, trying, name, is_asked);
      if (trying >= 0) close(trying);
      if (there) return is_asked;
    }
    return std::nullopt;
  }

private:
  static constexpr std::size_t longest_end = 32; // of a name

  Sockets(int own_rank, int ranks, const std::string& job)
      : NoticeBoard(own_rank, ranks), begin_(prefix + std::to_string(getuid()) + "/" + job + "/") {}

  /// Calls bind(2) or connect(2) with the socket address of a note. Returns whether that succeeds.
  bool apply(int (*function)(int, const sockaddr*, socklen_t), int socket, const std::string& name,
             bool is_asked) const {
    const std::string text = begin_ + name + (is_asked ? "/asked" : "/quiet");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    text.copy(address.sun_path + 1,
              sizeof address.sun_path - 1); // after a null character: an abstract name, in no file system
    const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    return function(socket, reinterpret_cast<const sockaddr*>(&address), bytes) == 0;
  }

  const std::string begin_;
  std::vector<int> bound_;
};

/// Returns the board of this process's launcher or node; nullptr if none is known.
std::unique_ptr<NoticeBoard> find_board() {
  auto found = Hydra::find();
  return found != nullptr ? std::move(found) : Sockets::find();
}

// Each note that a rank reads costs the launcher's daemon time. With more than `most_ranks` ranks, one note
// is for all processes of an executable, which are assumed to have the same environment.
constexpr int most_ranks = 64;

// enter() makes it before MPI is initialised. Never destroyed: other processes may still read the notes.
NoticeBoard* board = nullptr;

std::string of_rank(int rank) {
  return "rank" + std::to_string(rank);
}
std::string of_application(int application) {
  return "application" + std::to_string(application);
}
/// Returns the name of the note which says that there are `count` applications.
std::string end_of_applications(int count) {
  return "end" + std::to_string(count);
}

bool by_application() {
  return board->size > most_ranks && board->application().has_value();
}

std::string missing_rank() {
  for (int rank = 0; rank < board->size; ++rank) {
    if (!board->read(of_rank(rank))) return "rank " + std::to_string(rank);
  }
  return {};
}

std::string missing_application() {
  int application = 0;
  while (board->read(of_application(application))) ++application;
  if (board->read(end_of_applications(application))) return {};
  return "application " + std::to_string(application) + " of the launcher's command";
}

} // namespace

void Attendance::enter(bool asked) {
  board = find_board().release();
  if (board == nullptr || board->size == 1) return;
  board->leave(of_rank(board->rank), asked);
  if (!by_application()) return;
  const int application = *board->application();
  board->leave(of_application(application), asked);
  if (board->rank == board->size - 1) board->leave(end_of_applications(application + 1), asked);
}

int Attendance::started() {
  return board == nullptr ? 1 : board->size;
}

const Attendance& Attendance::take() {
  static const Attendance taken = [] {
    Attendance found;
    if (board == nullptr || board->size == 1) return found;
    found.missing = by_application() ? missing_application() : missing_rank();
    if (board->rank == 0 || found.all_here()) return found;
    const auto neighbour = board->read(of_rank(board->rank - 1));
    found.is_first_here = !neighbour;
    found.is_first_asked = !neighbour.value_or(false);
    return found;
  }();
  return taken;
}

} // namespace helper::process
