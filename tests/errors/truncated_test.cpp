// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <csetjmp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "layout/type.hpp"
#include "support/catch.hpp"
#include "support/handles.hpp"
#include "support/helpers.hpp"

// A message is longer than the receive buffer. Each function that completes requests must call the error
// handler like native MPI: once, after it has set all statuses. The handler may leave the function by an
// exception or a jump, whatever the request is.

// For AddressSanitizer: a jump out of a call leaks the memory of the call.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}

using namespace test_support;

namespace {

enum class Exit { none, jump, exception };
struct Left {};

/// What the error handler and the completing call have reported about two requests. The message of the first
/// request is truncated.
struct Told {
  std::vector<int> heard;            ///< error classes that the handler got
  int returned = MPI_SUCCESS;        ///< the class of the code, unless the handler has left the call
  std::array<int, 2> errors{-1, -1}; ///< error classes in the statuses when the handler was called
  bool is_null = false;              ///< whether the first request is null after the call
};

Told told;
std::jmp_buf back;
Exit way_out;
std::array<MPI_Request, 2> requests;
std::array<MPI_Status, 2> statuses;

void hear(MPI_Comm*, int* code, ...) {
  told.heard.push_back(class_of(*code));
  if (told.heard.back() == MPI_ERR_IN_STATUS)
    for (std::size_t at = 0; at < 2; ++at) told.errors[at] = class_of(statuses[at].MPI_ERROR);
  if (way_out == Exit::exception) throw Left{};
  if (way_out == Exit::jump) std::longjmp(back, 1);
}

/// The completion functions: of the library, or of native MPI.
struct Functions {
  decltype(&MPI_Wait) wait;
  decltype(&MPI_Waitall) waitall;
  decltype(&MPI_Waitany) waitany;
  decltype(&MPI_Waitsome) waitsome;
  decltype(&MPI_Test) test;
  decltype(&MPI_Testall) testall;
  decltype(&MPI_Testany) testany;
  decltype(&MPI_Testsome) testsome;
  decltype(&MPI_Request_get_status) get_status;
};
constexpr Functions with_library{MPI_Wait,    MPI_Waitall, MPI_Waitany,  MPI_Waitsome,          MPI_Test,
                                 MPI_Testall, MPI_Testany, MPI_Testsome, MPI_Request_get_status};
constexpr Functions natively{PMPI_Wait,    PMPI_Waitall, PMPI_Waitany,  PMPI_Waitsome,          PMPI_Test,
                             PMPI_Testall, PMPI_Testany, PMPI_Testsome, PMPI_Request_get_status};

/// Calls `test(&done)` until it fails or sets `done`.
template <class Test>
int repeat(const Test& test) {
  int code = MPI_SUCCESS;
  for (int done = 0; done == 0 && code == MPI_SUCCESS;) code = test(&done);
  return code;
}

/// A function that completes the first request, or both.
struct Completion {
  std::string name;
  std::function<int(const Functions&)> call;
};

const std::vector<Completion> completions{
    {"MPI_Wait", [](const Functions& f) { return f.wait(&requests[0], &statuses[0]); }},
    {"MPI_Waitall", [](const Functions& f) { return f.waitall(2, requests.data(), statuses.data()); }},
    {"MPI_Waitany",
     [](const Functions& f) {
       int index = 0;
       return f.waitany(1, requests.data(), &index, &statuses[0]);
     }},
    {"MPI_Waitsome",
     [](const Functions& f) {
       int some = 0;
       std::array<int, 2> indices{};
       return f.waitsome(1, requests.data(), &some, indices.data(), statuses.data());
     }},
    {"MPI_Test",
     [](const Functions& f) {
       return repeat([&](int* done) { return f.test(&requests[0], done, &statuses[0]); });
     }},
    {"MPI_Testall",
     [](const Functions& f) {
       return repeat([&](int* done) { return f.testall(2, requests.data(), done, statuses.data()); });
     }},
    {"MPI_Testany",
     [](const Functions& f) {
       int index = 0;
       return repeat([&](int* done) { return f.testany(1, requests.data(), &index, done, &statuses[0]); });
     }},
    {"MPI_Testsome",
     [](const Functions& f) {
       std::array<int, 2> indices{};
       return repeat(
           [&](int* some) { return f.testsome(1, requests.data(), some, indices.data(), statuses.data()); });
     }},
    {"MPI_Request_get_status",
     [](const Functions& f) {
       return repeat([&](int* done) { return f.get_status(requests[0], done, &statuses[0]); });
     }},
};

/// A message that is twice as long as the receive buffer.
struct Message {
  std::string name;
  int count; ///< elements of the receive buffer
  bool is_scattered;
};

const std::vector<Message> messages{{"small", 1, false},
                                    {"eager", 300, false},
                                    {"scattered", 300, true},
                                    {"announced to an eager receive", 1000, true},
                                    {"announced", 20000, true}};

/// Returns whether the error handler has left the completing call. Nothing in this frame has a destructor.
bool is_left(const Completion& completion, const Functions& functions) {
  if (setjmp(back) != 0) return true;
  try {
    told.returned = class_of(completion.call(functions));
    return false;
  } catch (const Left&) {
    return true;
  }
}

/// Rank 1 receives a message of rank 0 that is too long. Returns what rank 1 was told: by native MPI if
/// `is_native`, otherwise by the library.
Told receive_too_much(const Message& message, const Completion& completion, Exit exit, bool is_native) {
  const Type with_gaps(PMPI_Type_create_resized, MPI_DOUBLE, 0, 16);
  const MPI_Datatype type = message.is_scattered ? MPI_Datatype(with_gaps) : MPI_DOUBLE;
  std::vector<double> memory(static_cast<std::size_t>(4 * message.count));
  int rank = 0;
  int word = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  told = {};
  if (rank == 0) {
    PMPI_Barrier(MPI_COMM_WORLD);
    PMPI_Send(&word, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    (is_native ? PMPI_Send : MPI_Send)(memory.data(), 2 * message.count, type, 1, 5, MPI_COMM_WORLD);
  } else if (rank == 1) {
    const auto receive = is_native ? PMPI_Irecv : MPI_Irecv;
    statuses = {};
    receive(memory.data(), message.count, type, 0, 5, MPI_COMM_WORLD, &requests[0]);
    receive(&word, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[1]);
    PMPI_Barrier(MPI_COMM_WORLD);
    way_out = exit;
    const bool left = is_left(completion, is_native ? natively : with_library);
    CHECK(left == (exit != Exit::none && !told.heard.empty()));
    told.is_null = requests[0] == MPI_REQUEST_NULL;
    const Told result = told;
    way_out = Exit::none;
    (is_native ? PMPI_Waitall : MPI_Waitall)(2, requests.data(), MPI_STATUSES_IGNORE);
    return result;
  } else {
    PMPI_Barrier(MPI_COMM_WORLD);
  }
  return told;
}

} // namespace

TEST_CASE("The error handler learns of a message that does not fit as with native MPI, and may leave") {
  const auto exit = GENERATE(Exit::none, Exit::exception, Exit::jump);
  const auto& message = GENERATE(from_range(messages));
  const UnnamedHandler hearing(hear);
  Helpers helpers;
  for (const Completion& completion : completions) {
    INFO(completion.name << " of a message that is " << message.name << ", exit " << static_cast<int>(exit));
    const Told native = receive_too_much(message, completion, exit, true);
    helpers.phase([&] {
      const Told carried = receive_too_much(message, completion, exit, false);
      CHECK(carried.heard.empty() == native.heard.empty());
      if (is_open_mpi() || is_mpich_5_0()) return;
      CHECK(carried.heard == native.heard);
      CHECK(carried.returned == native.returned);
      CHECK(carried.errors[0] == native.errors[0]);
      // MPI may leave the other request in progress.
      CHECK((carried.errors[1] == native.errors[1] || carried.errors[1] == MPI_SUCCESS));
      // After a jump, the library ends the receive only in the next call.
      if (exit != Exit::jump) CHECK(carried.is_null == native.is_null);
    });
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE(
    "An error that a call finds of a request which it does not complete is reported by the one that does") {
  constexpr int room = 16;
  const UnnamedHandler hearing(hear);
  Helpers helpers;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::array<double, 2 * room> memory{};
  told = {};
  way_out = Exit::none;
  helpers.phase([&] {
    if (rank == 0) {
      MPI_Send(memory.data(), room, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
      MPI_Send(memory.data(), 2 * room, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
      PMPI_Barrier(MPI_COMM_WORLD);
    } else if (rank == 1) {
      MPI_Irecv(memory.data(), room, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(memory.data() + room, room, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, &requests[1]);
      PMPI_Barrier(MPI_COMM_WORLD);
      int index = 0;
      for (int done = 0; done == 0;) MPI_Testany(2, requests.data(), &index, &done, MPI_STATUS_IGNORE);
      CHECK(index == 0);
      CHECK(told.heard.empty());
      CHECK((MPI_Wait(&requests[1], MPI_STATUS_IGNORE) != MPI_SUCCESS || is_mpich_5_0()));
      CHECK(told.heard.size() == 1);
    } else {
      PMPI_Barrier(MPI_COMM_WORLD);
    }
  });
}
