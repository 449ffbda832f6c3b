// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "errors/faults.hpp"
#include "message/message.hpp"
#include "pipeline/staging.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/world.hpp"
#include "shm/node_context.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

// If a function that the library calls fails, the MPI call of the program has no effect. The failure is
// reported once, and repeating the call transfers the message.

using namespace test_support;

namespace {

constexpr int tag = 1;

// The number of ints in a message. It is large enough to be announced. Every second int of the memory is one.
constexpr int some = 16 * 1024;
constexpr int many = 48 * 1024; // has more pieces than can be in flight, if each piece is a message

int handled = 0;
int handled_class = MPI_SUCCESS;

void count_error(MPI_Comm*, int* code, ...) {
  ++handled;
  PMPI_Error_class(*code, &handled_class);
}

/// The data of one side of a transfer, on which its steps work. Steps allocate nothing.
struct Side {
  int peer;
  MPI_Comm comm;
  MPI_Datatype type;
  int numbers;
  std::vector<int> memory = std::vector<int>(2 * static_cast<std::size_t>(numbers));
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Message message = MPI_MESSAGE_NULL;
  int flag = 0;

  void* data() { return memory.data(); }
  MPI_Request* request() { return requests.data(); }
};

using Step = int (*)(Side&);

struct Way {
  const char* name;
  std::vector<Step> steps;
};

constexpr Step wait = [](Side& side) { return MPI_Wait(side.request(), MPI_STATUS_IGNORE); };
constexpr Step waitall = [](Side& side) { return MPI_Waitall(2, side.request(), MPI_STATUSES_IGNORE); };
constexpr Step waitany = [](Side& side) {
  return MPI_Waitany(2, side.request(), &side.flag, MPI_STATUS_IGNORE);
};
constexpr Step testsome = [](Side& side) {
  std::array<int, 2> indices{};
  int code = MPI_SUCCESS;
  for (side.flag = 0; side.flag == 0 && code == MPI_SUCCESS;)
    code = MPI_Testsome(2, side.request(), &side.flag, indices.data(), MPI_STATUSES_IGNORE);
  return code;
};
constexpr Step start = [](Side& side) { return MPI_Start(side.request()); };
constexpr Step request_free = [](Side& side) { return MPI_Request_free(side.request()); };

constexpr Step isend = [](Side& side) {
  return MPI_Isend(side.data(), side.numbers, side.type, side.peer, tag, side.comm, side.request());
};
constexpr Step irecv = [](Side& side) {
  return MPI_Irecv(side.data(), side.numbers, side.type, side.peer, tag, side.comm, side.request());
};
constexpr Step mprobe = [](Side& side) {
  return MPI_Mprobe(side.peer, tag, side.comm, &side.message, MPI_STATUS_IGNORE);
};

const std::vector<Way>& sendings() {
  static const std::vector<Way> all{
      {"Send", {[](Side& side) {
         return MPI_Send(side.data(), side.numbers, side.type, side.peer, tag, side.comm);
       }}},
      {"Ssend", {[](Side& side) {
         return MPI_Ssend(side.data(), side.numbers, side.type, side.peer, tag, side.comm);
       }}},
      {"Sendrecv", {[](Side& side) {
         return MPI_Sendrecv(side.data(), side.numbers, side.type, side.peer, tag, nullptr, 0, MPI_INT,
                             MPI_PROC_NULL, tag, side.comm, MPI_STATUS_IGNORE);
       }}},
      {"Isend, Wait", {isend, wait}},
      {"Isend, Waitall", {isend, waitall}},
      {"Isend, Waitany", {isend, waitany}},
      {"Isend, Testsome", {isend, testsome}},
      {"Send_init, Start, Wait",
       {[](Side& side) {
          return MPI_Send_init(side.data(), side.numbers, side.type, side.peer, tag, side.comm,
                               side.request());
        },
        start, wait, request_free}},
  };
  return all;
}

const std::vector<Way>& receivings() {
  static const std::vector<Way> all{
      {"Recv", {[](Side& side) {
         return MPI_Recv(side.data(), side.numbers, side.type, side.peer, tag, side.comm, MPI_STATUS_IGNORE);
       }}},
      {"Sendrecv", {[](Side& side) {
         return MPI_Sendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, tag, side.data(), side.numbers, side.type,
                             side.peer, tag, side.comm, MPI_STATUS_IGNORE);
       }}},
      {"Irecv, Wait", {irecv, wait}},
      {"Irecv, Waitall", {irecv, waitall}},
      {"Irecv, Waitany", {irecv, waitany}},
      {"Irecv, Testsome", {irecv, testsome}},
      {"Recv_init, Start, Wait",
       {[](Side& side) {
          return MPI_Recv_init(side.data(), side.numbers, side.type, side.peer, tag, side.comm,
                               side.request());
        },
        start, wait, request_free}},
      {"Probe, Irecv, Wait",
       {[](Side& side) { return MPI_Probe(side.peer, tag, side.comm, MPI_STATUS_IGNORE); }, irecv, wait}},
      {"Mprobe, Mrecv",
       {mprobe,
        [](Side& side) {
          return MPI_Mrecv(side.data(), side.numbers, side.type, &side.message, MPI_STATUS_IGNORE);
        }}},
      {"Mprobe, Imrecv, Wait",
       {mprobe,
        [](Side& side) {
          return MPI_Imrecv(side.data(), side.numbers, side.type, &side.message, side.request());
        },
        wait}},
  };
  return all;
}

/// Ranks 0 and 1, each in a phase of its team.
class Pair {
public:
  Pair() {
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    PMPI_Comm_create_errhandler(count_error, &handler);
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    PMPI_Comm_set_errhandler(comm_, handler);
    set_unnamed_errhandler(handler);
    PMPI_Errhandler_free(&handler);
  }
  ~Pair() {
    PMPI_Comm_free(&comm_);
    set_unnamed_errhandler(MPI_ERRORS_RETURN);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  int rank() const { return rank_; }
  MPI_Comm comm() const { return comm_; }

  /// Makes a transfer with the fault. The part of this rank is `way`. A failed call must have no effect and
  /// is repeated. Returns whether the fault met a rank.
  bool repeats(const Way& way, const Fault& fault) {
    Side side = begin(some);
    int failures = 0;
    bool good = true;
    const bool fired = with(fault, [&](Injected& injected) {
      for (const Step step : way.steps) {
        if (step(side) == MPI_SUCCESS) continue;
        ++failures;
        injected.remove();
        good = step(side) == MPI_SUCCESS && good;
      }
    });
    CHECK(good);
    CHECK(holds(side));
    CHECK(handled == failures);
    CHECK((failures == 0 || fired));
    return end(side, fired);
  }

  /// Makes a transfer with a fault that ends it, at both sides if necessary. The part of this rank is `way`.
  /// Returns whether the fault met a rank.
  bool ends(const Way& way, const Fault& fault) {
    const std::size_t leased = helper::pipeline::leased_staging();
    Side side = begin(many);
    int failures = 0;
    const bool fired = with(fault, [&](Injected&) {
      for (const Step step : way.steps) failures += step(side) == MPI_SUCCESS ? 0 : 1;
    });
    CHECK((failures == 1 || holds(side)));
    CHECK(handled == failures);
    const int expected = fired ? injected_class : MPI_ERR_OTHER;
    CHECK((failures == 0 || handled_class == expected || handled_class == MPI_ERR_IN_STATUS));
    const bool met = end(side, fired);
    CHECK((met || failures == 0));
    helpers_.phase([&] {
      while (helper::pipeline::leased_staging() != leased)
        MPI_Iprobe(side.peer, tag, comm_, &side.flag, MPI_STATUS_IGNORE);
    });
    return met;
  }

  /// Rank 0 sends more than fits into its stream, and hands the rest to MPI before rank 1 receives. The call
  /// with which rank 1 receives that rest fails.
  void rescues() {
    repeats((rank_ == 0 ? sendings() : receivings()).front(), {}); // later messages may be announced
    Side side = begin(20 * some);
    with(rank_ == 1 ? Fault{"PMPI_Irecv_c", 1, false, comm_} : Fault{}, [&](Injected& injected) {
      if (rank_ == 0) {
        CHECK(isend(side) == MPI_SUCCESS);
        helper::message::rescue();
        PMPI_Barrier(comm_);
        CHECK(wait(side) == MPI_SUCCESS);
      } else {
        PMPI_Barrier(comm_);
        CHECK(receivings().front().steps.front()(side) != MPI_SUCCESS);
        CHECK(injected.fired());
        CHECK(handled_class == injected_class);
      }
    });
    if (rank_ == 1) // MPI still has the rest
      PMPI_Recv(side.data(), side.numbers, MPI_INT, 0, MPI_ANY_TAG, helper::ranks::world::comm(),
                MPI_STATUS_IGNORE);
    end(side, false);
  }

private:
  /// Makes the data for a transfer, with a new datatype, which the library has not yet decoded.
  Side begin(int numbers) {
    Side side{1 - rank_, comm_, MPI_DATATYPE_NULL, numbers};
    PMPI_Type_vector(1, 1, 2, MPI_INT, &side.type);
    MPI_Datatype number = side.type;
    PMPI_Type_create_resized(number, 0, 2 * sizeof(int), &side.type);
    PMPI_Type_free(&number);
    PMPI_Type_commit(&side.type);
    for (std::size_t i = 0; i < side.memory.size(); i += 2)
      side.memory[i] = rank_ == 0 ? static_cast<int>(i) : -1;
    handled = 0;
    return side;
  }

  /// Calls `transfer(injected)` with the fault in a phase. Returns whether the fault fired.
  template <class Transfer>
  bool with(const Fault& fault, const Transfer& transfer) {
    bool fired = false;
    helpers_.phase([&] {
      Injected injected(fault);
      transfer(injected);
      fired = injected.fired();
      injected.remove();
    });
    return fired;
  }

  static bool holds(const Side& side) {
    bool all = true;
    for (std::size_t i = 0; i < side.memory.size(); i += 2)
      all = all && side.memory[i] == static_cast<int>(i);
    return all;
  }

  static bool end(Side& side, bool fired) {
    PMPI_Type_free(&side.type);
    int met = fired ? 1 : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &met, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return met != 0;
  }

  Helpers helpers_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
};

/// Returns whether MPI calls the error handler of the communicator each time that it fails to test a request.
/// A request whose tests always fail is then reported several times.
bool reports_each_test() {
  return helper::ranks::reporting() != helper::ranks::Reporting::to_world;
}

/// Calls `transfer(sending, receiving, culprit)` for each way of sending (culprit 0) or receiving (1).
template <class Transfer>
void for_each_way(const Transfer& transfer) {
  for (const Way& sending : sendings()) transfer(sending, receivings().front(), 0);
  for (const Way& receiving : receivings()) transfer(sendings().front(), receiving, 1);
}

} // namespace

TEST_CASE("What fails of a transfer has done nothing, and works when it is done again") {
  if (helper::shm::arena().size() == 0) return; // the last two test cases need no arena
  Pair pair;
  for_each_way([&](const Way& sending, const Way& receiving, int culprit) {
    const Way& own = pair.rank() == 0 ? sending : receiving;
    for (const char* function :
         {"operator new", "PMPI_Isend", "PMPI_Isend_c", "PMPI_Irecv_c", "PMPI_Imrecv_c", "PMPI_Mrecv_c",
          "PMPI_Improbe", "PMPI_Grequest_start", "PMPI_Comm_get_attr", "PMPI_Comm_set_attr"}) {
      for (const bool lasting : {false, true}) {
        INFO(sending.name << " to " << receiving.name << ", " << function << " at rank " << culprit);
        const auto fault = [&](int nth) {
          return pair.rank() == culprit ? Fault{function, nth, lasting} : Fault{};
        };
        for (int nth = 1; pair.repeats(own, fault(nth)); ++nth) {
        }
      }
    }
  });
}

TEST_CASE("A receive fails where the part of its message that MPI carries cannot be received") {
  if (helper::shm::arena().size() == 0) return;
  Pair pair;
  pair.rescues();
}

// The faults occur if the pieces are MPI messages, as without an arena.
TEST_CASE("What fails of a transfer under way ends it, and is reported once where it was started") {
  Pair pair;
  for_each_way([&](const Way& sending, const Way& receiving, int culprit) {
    const Way& own = pair.rank() == 0 ? sending : receiving;
    for (const char* function : {culprit == 0 ? "PMPI_Isend_c" : "PMPI_Irecv_c", "PMPI_Test"}) {
      for (const bool lasting : {false, true}) {
        if (lasting && function == std::string_view("PMPI_Test") && reports_each_test()) continue;
        INFO(sending.name << " to " << receiving.name << ", " << function << " at rank " << culprit);
        const auto fault = [&](int nth) {
          // If MPI fails to test a receive of the program, its result is unknown. So such calls are spared.
          const MPI_Comm spared = culprit == 1 ? pair.comm() : MPI_COMM_NULL;
          return pair.rank() == culprit ? Fault{function, nth, lasting, spared} : Fault{};
        };
        for (int nth = 1; pair.ends(own, fault(nth)); nth *= 2) {
        }
      }
    }
  });
}

// MPICH 4.0.2 uses the requests of messages to oneself until they are received. The library must not free
// them before.
TEST_CASE("A piece of a message to oneself that fails ends the message at both ends") {
  Helpers helpers;
  constexpr int pieces = 8;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_vector(many, 1, 2, MPI_INT, &type);
  PMPI_Type_commit(&type);
  set_unnamed_errhandler(MPI_ERRORS_RETURN);
  for (int failing = 0; failing < 20 * pieces; ++failing) {
    INFO("message " << failing);
    std::vector<int> out(2 * many);
    std::vector<int> in(2 * many);
    helpers.phase([&] {
      MPI_Request send = MPI_REQUEST_NULL;
      MPI_Request receive = MPI_REQUEST_NULL;
      MPI_Irecv(in.data(), 1, type, 0, tag, MPI_COMM_SELF, &receive); // the send may be announced now
      Injected injected({"PMPI_Isend_c", 1 + failing % pieces, false, MPI_COMM_SELF});
      MPI_Isend(out.data(), 1, type, 0, tag, MPI_COMM_SELF, &send);
      CHECK(MPI_Wait(&receive, MPI_STATUS_IGNORE) == MPI_ERR_OTHER);
      CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE) == injected_class);
      CHECK(injected.fired());
    });
  }
  PMPI_Type_free(&type);
}
