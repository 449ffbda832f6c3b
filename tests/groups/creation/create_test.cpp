// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <malloc.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "groups/creation/meetings.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/handles.hpp"
#include "support/helpers.hpp"
#include "support/mpi_support.hpp"
#include "topology/machine.hpp"

using namespace test_support;

namespace {

using Ranks = std::vector<int>;

constexpr int tag = 17;

struct World {
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  int rank = 0;
  int size = 1;
};

/// The group of some ranks of a communicator.
class Group {
public:
  Group(MPI_Comm comm, const Ranks& ranks) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
    MPI_Group_free(&all);
  }
  ~Group() {
    if (group_ != MPI_GROUP_EMPTY) MPI_Group_free(&group_);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  operator MPI_Group() const { return group_; }

private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

MPI_Comm create(MPI_Comm comm, const Ranks& ranks, const std::string& algorithm) {
  const Group group(comm, ranks);
  const Info info{{"mpi_helper_group_algorithm", algorithm}};
  MPI_Comm made = MPI_COMM_SELF; // the call must replace this value
  REQUIRE(MPIX_Group_comm_create_info(comm, group, tag, info, &made) == MPI_SUCCESS);
  return made;
}

/// Returns whether `made` has the ranks `ranks` of `comm` in their order, and passes messages between
/// neighbours.
bool works(MPI_Comm made, MPI_Comm comm, const Ranks& ranks) {
  const Group group(comm, ranks);
  MPI_Group of_made = MPI_GROUP_NULL;
  int compared = MPI_UNEQUAL;
  int rank = 0;
  int size = 0;
  MPI_Comm_group(made, &of_made);
  MPI_Group_compare(group, of_made, &compared);
  MPI_Group_free(&of_made);
  MPI_Comm_rank(made, &rank);
  MPI_Comm_size(made, &size);
  int heard = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &heard, 1, MPI_INT, (rank + size - 1) % size, 0, made,
               MPI_STATUS_IGNORE);
  return compared == MPI_IDENT && heard == (rank + size - 1) % size;
}

/// Creates the communicator of `ranks`, tests it and frees it. Ranks outside `ranks` must get MPI_COMM_NULL.
void check(MPI_Comm comm, const Ranks& ranks, const std::string& algorithm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  CAPTURE(algorithm, ranks);
  MPI_Comm made = create(comm, ranks, algorithm);
  const bool is_member = std::ranges::count(ranks, rank) > 0;
  REQUIRE((made != MPI_COMM_NULL) == is_member);
  if (!is_member) return;
  REQUIRE(works(made, comm, ranks));
  MPI_Comm_free(&made);
}

Ranks first(int size) {
  Ranks ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

Ranks every_other(int size) {
  Ranks ranks;
  for (int rank = 0; rank < size; rank += 2) ranks.push_back(rank);
  return ranks;
}

constexpr const char* all_algorithms[] = {"direct", "recursive", "multiway", "auto"};

/// With more ranks, native waits outside phases take seconds if there are few cores.
constexpr int many = 8;

/// Expects an error of class `error_class` whose text contains `part`.
void require_error(int code, int error_class, const std::string& part) {
  REQUIRE(class_of(code) == error_class);
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  REQUIRE_THAT(text, Catch::Contains(part) && Catch::Contains("MPIX_Group_comm_create"));
}

} // namespace

TEST_CASE("Groups of every size") {
  const World world;
  Helpers helpers;
  for (const std::string algorithm : all_algorithms) {
    for (int size = 1; size <= world.size; ++size) {
      // In a phase, so that processes outside the group sleep while they wait.
      helpers.phase([&] {
        check(MPI_COMM_WORLD, first(size), algorithm);
        MPI_Barrier(MPI_COMM_WORLD);
      });
    }
  }
}

TEST_CASE("Strided, reversed and random groups, in a phase and outside") {
  const World world;
  Helpers helpers;
  Draw draw(seed());
  Ranks reversed = first(world.size);
  std::ranges::reverse(reversed);
  std::vector<Ranks> groups{every_other(world.size), reversed};
  for (int i = 0; i < 5; ++i) {
    Ranks ranks = first(world.size);
    draw.shuffle(ranks);
    ranks.resize(static_cast<std::size_t>(1 + draw.upto(world.size - 1)));
    groups.push_back(ranks);
  }
  for (const std::string algorithm : all_algorithms) {
    for (const Ranks& ranks : groups) {
      if (world.size <= many) check(MPI_COMM_WORLD, ranks, algorithm);
      helpers.phase([&] { check(MPI_COMM_WORLD, ranks, algorithm); });
    }
  }
}

/// Creates communicators of the even and the odd ranks, and then of parts of these communicators.
void check_nested(const World& world, const std::string& algorithm) {
  Ranks half = first(world.size);
  std::erase_if(half, [&](int rank) { return rank % 2 != world.rank % 2; });
  MPI_Comm outer = create(MPI_COMM_WORLD, half, algorithm);
  REQUIRE(works(outer, MPI_COMM_WORLD, half));
  Ranks reversed = first(static_cast<int>(half.size()));
  std::ranges::reverse(reversed);
  check(outer, reversed, algorithm);
  check(outer, every_other(static_cast<int>(half.size())), algorithm);
  MPI_Comm_free(&outer);
}

TEST_CASE("By itself the library has members meet where ranks share processing units") {
  const World world;
  const Group all(MPI_COMM_WORLD, first(world.size));
  const int before = messages_of_meetings();
  MPI_Comm made = MPI_COMM_NULL;
  REQUIRE(MPIX_Group_comm_create(MPI_COMM_WORLD, all, meeting_tag, &made) == MPI_SUCCESS);
  const bool share = world.size > helper::topology::Machine::local().usable().size();
  CHECK((messages_of_meetings() != before) == share);
  MPI_Comm_free(&made);
}

TEST_CASE("Disjoint groups at once, and communicators of what was created") {
  const World world;
  Helpers helpers;
  for (const std::string algorithm : all_algorithms) {
    if (world.size <= many) check_nested(world, algorithm);
    helpers.phase([&] { check_nested(world, algorithm); });
  }
}

TEST_CASE("A new communicator has the error handler of the old one, and none of its attributes") {
  const World world;
  if (world.size > many) return;
  MPI_Comm comm = MPI_COMM_NULL;
  int keyval = MPI_KEYVAL_INVALID;
  int value = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm_set_attr(comm, keyval, &value);
  for (const std::string algorithm : all_algorithms) {
    MPI_Comm made = create(comm, first(world.size), algorithm);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    void* found = nullptr;
    int is_set = 0;
    MPI_Comm_get_errhandler(made, &handler);
    MPI_Comm_get_attr(made, keyval, static_cast<void*>(&found), &is_set);
    CHECK(handler == MPI_ERRORS_RETURN);
    if (MPI_VERSION >= 4 || (algorithm == "recursive" && world.size > 1))
      CHECK(is_set == 0); // MPI_Comm_create_group of Open MPI 4 copies attributes
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&made);
  }
  MPI_Comm_free_keyval(&keyval);
  MPI_Comm_free(&comm);
}

TEST_CASE("Nothing is left of ten thousand communicators") {
  const World world;
  if (world.size > 2) return;
  // Open MPI leaks some bytes of an inter-communicator. MPICH 5.0.2 leaks 320 bytes of a merged one.
  if ((test_support::is_open_mpi() || test_support::is_mpich_5_0()) && world.size == 2) return;
  const auto create_many = [&](int count) {
    for (int i = 0; i < count; ++i) {
      MPI_Comm made = create(MPI_COMM_WORLD, first(world.size), all_algorithms[i % 4]);
      MPI_Comm_free(&made);
    }
  };
  create_many(2'000); // MPI allocates some memory only once
  const auto before = mallinfo2().uordblks;
  create_many(10'000);
  CHECK(mallinfo2().uordblks < before + 100'000);
}

/// Duplicates MPI_COMM_WORLD until MPI has no communicator left. Returns the duplicates.
std::vector<MPI_Comm> duplicates_of_world() {
  std::vector<MPI_Comm> made;
  for (MPI_Comm next = MPI_COMM_NULL; MPI_Comm_dup(MPI_COMM_WORLD, &next) == MPI_SUCCESS;)
    made.push_back(next);
  return made;
}

TEST_CASE("Where MPI has too few communicators left all members are told, and none is lost") {
  const World world;
  if (world.size > 3 || test_support::is_open_mpi()) return; // Open MPI has too many communicators
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const Group all(MPI_COMM_WORLD, first(world.size));
  std::vector<MPI_Comm> taken = duplicates_of_world();
  for (const std::string algorithm : all_algorithms) {
    CAPTURE(algorithm);
    // If MPI_Intercomm_create of MPICH 5.0.2 finds no communicator left, freeing another communicator later
    // ends the program.
    if (test_support::is_mpich_5_0() && algorithm == "recursive") continue;
    const Info info{{"mpi_helper_group_algorithm", algorithm}};
    MPI_Comm made = MPI_COMM_SELF;
    std::size_t spare = 0;
    for (; MPIX_Group_comm_create_info(MPI_COMM_WORLD, all, tag, info, &made) != MPI_SUCCESS; ++spare) {
      REQUIRE(made == MPI_COMM_NULL);
      REQUIRE(spare < 5);
      MPI_Comm_free(&taken.back());
      taken.pop_back();
    }
    CHECK(spare > 0);
    MPI_Comm_free(&made);
    const std::vector<MPI_Comm> again = duplicates_of_world();
    CHECK(again.size() == spare);
    taken.insert(taken.end(), again.begin(), again.end());
  }
  for (MPI_Comm comm : taken) MPI_Comm_free(&comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("What is wrong is said, and nobody communicates") {
  const World world;
  if (world.size > many) return;
  set_unnamed_errhandler(MPI_ERRORS_RETURN);
  const Group all(MPI_COMM_WORLD, first(world.size));
  const Group none(MPI_COMM_WORLD, {});
  MPI_Comm made = MPI_COMM_SELF;
  require_error(MPIX_Group_comm_create(MPI_COMM_NULL, all, tag, &made), MPI_ERR_COMM, "MPI_COMM_NULL");
  REQUIRE(made == MPI_COMM_NULL);
  require_error(MPIX_Group_comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, tag, &made), MPI_ERR_GROUP,
                "MPI_GROUP_NULL");
  require_error(MPIX_Group_comm_create(MPI_COMM_WORLD, all, -5, &made), MPI_ERR_TAG, "-5");
  require_error(MPIX_Group_comm_create(MPI_COMM_WORLD, all, tag, nullptr), MPI_ERR_ARG, "newcomm");
  const Info info{{"mpi_helper_group_algorithm", "sideways"}};
  require_error(MPIX_Group_comm_create_info(MPI_COMM_WORLD, all, tag, info, &made), MPI_ERR_INFO_VALUE,
                "sideways");
  REQUIRE(MPIX_Group_comm_create(MPI_COMM_WORLD, none, tag, &made) == MPI_SUCCESS);
  REQUIRE(made == MPI_COMM_NULL);
  const Info strict{{"mpi_helper_group_outsider", "error"}};
  require_error(MPIX_Group_comm_create_info(MPI_COMM_WORLD, none, tag, strict, &made), MPI_ERR_GROUP,
                "not in group");
  if (world.size > 1) {
    MPI_Comm both = MPI_COMM_NULL;
    MPI_Comm half = MPI_COMM_NULL;
    require_error(MPIX_Group_comm_create(MPI_COMM_SELF, all, tag, &made), MPI_ERR_GROUP, "not in comm");
    MPI_Comm_split(MPI_COMM_WORLD, world.rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - world.rank % 2, tag, &both);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    require_error(MPIX_Group_comm_create(both, all, tag, &made), MPI_ERR_COMM, "inter-communicator");
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
  }
  set_unnamed_errhandler(MPI_ERRORS_ARE_FATAL);
}
