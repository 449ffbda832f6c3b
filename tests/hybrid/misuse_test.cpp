// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <sstream>
#include <string>

#include "hybrid/members.hpp"
#include "support/catch.hpp"
#include "support/handles.hpp"

// Every error of a hybrid operation is reported to every member once, by the error handler of the
// communicator. Errors are found within a process, so each rank tests alone.

using namespace test_support;

namespace {

std::atomic<int> handled{0};

void count_error(MPI_Comm*, int*, ...) {
  handled.fetch_add(1);
}

/// Returns a handle as text. It is an integer or a pointer.
std::string text(MPI_Op op) {
  std::ostringstream out;
  out << op;
  return out.str();
}

/// A communicator of this process. count_error is its error handler, and the handler of MPI_COMM_WORLD.
class Counted : public Holder<MPI_Comm> {
public:
  Counted() {
    handled = 0;
    PMPI_Comm_dup(MPI_COMM_SELF, &handle_);
    PMPI_Comm_create_errhandler(count_error, &errhandler_);
    for (MPI_Comm comm : {handle_, MPI_COMM_WORLD}) PMPI_Comm_set_errhandler(comm, errhandler_);
  }
  ~Counted() {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    PMPI_Errhandler_free(&errhandler_);
    MPI_Comm_free(&handle_);
  }

private:
  MPI_Errhandler errhandler_ = MPI_ERRHANDLER_NULL;
};

using Codes = std::vector<int>;

/// Calls `call(index, team)` in each member of a team. Returns the codes by member.
Codes codes_of(int members, const std::function<int(int, MPI_Helper_team)>& call) {
  Codes codes(static_cast<std::size_t>(members));
  in_team(members, 0, [&](int member, MPI_Helper_team team) {
    codes[static_cast<std::size_t>(member)] = call(member, team);
  });
  return codes;
}

/// Expects that each member got an error of class `error_class`, and that its text contains all `words`.
void require_errors(const Codes& codes, int error_class, const std::vector<std::string>& words) {
  REQUIRE(handled.exchange(0) == static_cast<int>(codes.size()));
  for (const int code : codes) {
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    INFO(text);
    REQUIRE(class_of(code) == error_class);
    for (const std::string& word : words) REQUIRE_THAT(text, Catch::Contains(word));
  }
}

/// The arguments of an allreduce.
struct Arguments {
  const void* send;
  void* receive;
  int count;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Comm comm;
};

/// Returns the codes of an allreduce of two members. `spoil` changes the arguments, which are valid before.
Codes allreduce(MPI_Comm comm, const std::function<void(int, Arguments&)>& spoil) {
  return codes_of(2, [&](int member, MPI_Helper_team team) {
    std::array<int, 4> in{};
    std::array<int, 4> out{};
    Arguments with{in.data(), out.data(), 4, MPI_INT, MPI_SUM, comm};
    spoil(member, with);
    return MPIX_Helper_allreduce(team, with.send, with.receive, with.count, with.type, with.op, with.comm);
  });
}

} // namespace

TEST_CASE("members whose arguments differ are told so") {
  const Counted comm;
  const std::string name = "MPIX_Helper_allreduce";
  require_errors(allreduce(comm, [](int member, Arguments& with) { with.count -= member; }), MPI_ERR_ARG,
                 {name, "member 1 passed count 3", "member 0 count 4"});
  require_errors(allreduce(comm,
                           [](int member, Arguments& with) {
                             if (member == 1) with.type = MPI_DOUBLE;
                           }),
                 MPI_ERR_ARG, {name, "member 1 passed datatype MPI_DOUBLE", "member 0 datatype MPI_INT"});
  require_errors(allreduce(comm,
                           [](int member, Arguments& with) {
                             if (member == 1) with.type = MPI_FLOAT;
                           }),
                 MPI_ERR_ARG, {name, "MPI_FLOAT", "MPI_INT"});
  require_errors(allreduce(comm,
                           [](int member, Arguments& with) {
                             if (member == 1) with.op = MPI_MAX;
                           }),
                 MPI_ERR_ARG, {name, "member 1 passed op", text(MPI_MAX), text(MPI_SUM)});
  require_errors(allreduce(comm,
                           [](int member, Arguments& with) {
                             if (member == 1) with.comm = MPI_COMM_WORLD;
                           }),
                 MPI_ERR_ARG, {name, "member 1 passed communicator 'MPI_COMM_WORLD'"});

  const auto bcast = [&](int count, int root) {
    return codes_of(2, [&, count, root](int member, MPI_Helper_team team) {
      std::array<int, 4> buffer{};
      return MPIX_Helper_bcast(team, buffer.data(), member == 0 ? 4 : count, MPI_INT, member == 0 ? 0 : root,
                               comm);
    });
  };
  require_errors(bcast(4, 1), MPI_ERR_ARG,
                 {"MPIX_Helper_bcast", "member 1 passed root 1", "member 0 root 0"});
  require_errors(bcast(2, 0), MPI_ERR_ARG,
                 {"MPIX_Helper_bcast", "2 of MPI_INT, 8 bytes", "4 of MPI_INT, 16"});
}

TEST_CASE("members that call different operations are told so") {
  const Counted comm;
  require_errors(codes_of(3,
                          [&](int member, MPI_Helper_team team) {
                            int value = 0;
                            return member == 2 ? MPIX_Helper_barrier(team, comm)
                                               : MPIX_Helper_bcast(team, &value, 1, MPI_INT, 0, comm);
                          }),
                 MPI_ERR_ARG, {"MPIX_Helper_bcast", "MPIX_Helper_barrier"});
}

TEST_CASE("arguments that cannot be are rejected for all members") {
  const Counted comm;
  const auto all = [](const auto& spoil) { return [spoil](int, Arguments& with) { spoil(with); }; };
  require_errors(allreduce(comm, all([](Arguments& with) { with.count = -1; })), MPI_ERR_COUNT, {"-1"});
  require_errors(allreduce(comm, all([](Arguments& with) { with.comm = MPI_COMM_NULL; })), MPI_ERR_COMM,
                 {"MPI_COMM_NULL"});
  require_errors(allreduce(comm,
                           [](int member, Arguments& with) {
                             if (member == 1) with.send = nullptr;
                           }),
                 MPI_ERR_BUFFER, {"MPIX_Helper_allreduce", "null"});
  require_errors(allreduce(comm,
                           [](int member, Arguments& with) {
                             if (member == 1) with.send = with.receive;
                           }),
                 MPI_ERR_BUFFER, {"MPIX_Helper_allreduce", "sendbuf"});
  const auto bcast = [&](MPI_Datatype type, int root) {
    return codes_of(2, [&, type, root](int, MPI_Helper_team team) {
      int value = 0;
      return MPIX_Helper_bcast(team, &value, 1, type, root, comm);
    });
  };

  const auto allgather = [&](bool is_alias, int count, MPI_Datatype type) {
    return codes_of(2, [&, is_alias, count, type](int, MPI_Helper_team team) {
      std::array<int, 8> blocks{};
      int own = 0;
      return MPIX_Helper_allgather(team, is_alias ? blocks.data() : &own, blocks.data(), count, type, comm);
    });
  };
  require_errors(allgather(true, 1, MPI_INT), MPI_ERR_BUFFER, {"MPIX_Helper_allgather", "sendbuf"});
  require_errors(allgather(false, -1, MPI_INT), MPI_ERR_COUNT, {"-1"});
  require_errors(allgather(false, 1 << 30, MPI_INT), MPI_ERR_COUNT, {"2 members", "1073741824"});
  const auto reduce_scatter_block = [&](int difference, MPI_Op op) {
    return codes_of(2, [&, difference, op](int member, MPI_Helper_team team) {
      std::array<int, 8> blocks{};
      std::array<int, 2> own{};
      return MPIX_Helper_reduce_scatter_block(team, blocks.data(), own.data(), 1 + member * difference,
                                              MPI_INT, op, comm);
    });
  };
  require_errors(reduce_scatter_block(1, MPI_SUM), MPI_ERR_ARG,
                 {"MPIX_Helper_reduce_scatter_block", "member 1 passed count 2", "member 0 count 1"});
  // Native MPI rejects these. Only the leader calls it, and must tell the other members of the failure.
  if (is_mpich_5_0()) return;
  require_errors(allreduce(comm, all([](Arguments& with) { with.op = MPI_OP_NULL; })), MPI_ERR_OP, {});
  require_errors(allreduce(comm, all([](Arguments& with) { with.op = MPI_MAXLOC; })), MPI_ERR_OP, {});
  require_errors(bcast(MPI_INT, 7), MPI_ERR_ROOT, {});
  require_errors(bcast(MPI_DATATYPE_NULL, 0), MPI_ERR_TYPE, {});
  require_errors(allgather(false, 1, MPI_DATATYPE_NULL), MPI_ERR_TYPE, {});
  require_errors(reduce_scatter_block(0, MPI_OP_NULL), MPI_ERR_OP, {});
}

TEST_CASE("an inter-communicator is rejected") {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() < 2) return;
  const Comm inter = between_groups(world.rank() == 0);
  const Codes codes =
      codes_of(2, [&](int, MPI_Helper_team team) { return MPIX_Helper_barrier(team, inter); });
  for (const int code : codes) REQUIRE(class_of(code) == MPI_ERR_COMM);
}

TEST_CASE("a member that has called LEAVE is missed, and the team goes on in the next phase") {
  const Counted comm;
  Codes codes(2);
  Codes next(3);
  in_team(3, 0, [&](int member, MPI_Helper_team team) {
    const auto index = static_cast<std::size_t>(member);
    if (member < 2) codes[index] = MPIX_Helper_barrier(team, comm);
    MPI_Helper_fence(team);
    next[index] = MPIX_Helper_barrier(team, comm);
  });
  require_errors(codes, MPI_ERR_OTHER, {"MPIX_Helper_barrier", "missing:", "member 2 (has called LEAVE)"});
  REQUIRE(next == Codes(3, MPI_SUCCESS));
}

TEST_CASE("handles and moments that are wrong are reported") {
  const Counted comm;
  require_errors({MPIX_Helper_barrier(123456, comm)}, MPI_ERR_ARG, {"MPIX_Helper_barrier", "123456"});
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  MPI_Helper_team_create(3, 1, &team);
  require_errors({MPIX_Helper_barrier(team, comm)}, MPI_ERR_OTHER, {"MPIX_Helper_barrier", "phase"});
  MPI_Helper_team_free(&team);
}

TEST_CASE("where only the main thread may communicate, it must be a member") {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  const Counted comm;
  Codes codes;
  std::thread([&] {
    codes = codes_of(2, [&](int, MPI_Helper_team team) { return MPIX_Helper_barrier(team, comm); });
  }).join();
  if (level >= MPI_THREAD_SERIALIZED) {
    REQUIRE(codes == Codes(2, MPI_SUCCESS));
  } else {
    require_errors(codes, MPI_ERR_OTHER, {"MPIX_Helper_barrier", "main thread"});
  }
}
