// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "message/roles.hpp"

// Sends large non-contiguous messages to a process that receives past the library: it calls functions that it
// has looked up in MPI, like some language bindings.

using namespace test_support;

namespace {

constexpr int tag = 1;
constexpr int ints = 100'000;

/// Returns the path of the MPI library, which is loaded.
std::string find_mpi() {
  std::string found;
  const auto look = [](dl_phdr_info* object, std::size_t, void* result) {
    const std::string_view path = object->dlpi_name;
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    const bool is_mpi = std::ranges::any_of(std::array{"libmpich.so", "libmpi.so", "libmpi_abi.so"},
                                            [&](const char* mpi) { return name.starts_with(mpi); });
    if (is_mpi) *static_cast<std::string*>(result) = path;
    return is_mpi ? 1 : 0;
  };
  dl_iterate_phdr(look, &found);
  return found;
}

/// Returns the function of the MPI library itself. `Intercepted` has the same name and type.
template <auto Intercepted>
auto own(const char* name) {
  static const std::string file = find_mpi();
  REQUIRE(!file.empty()); // dlopen would return the program for an empty name
  static void* const mpi = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(mpi != nullptr);
  const auto found = reinterpret_cast<decltype(Intercepted)>(dlsym(mpi, name));
  REQUIRE(found != nullptr);
  REQUIRE(found != Intercepted);
  return found;
}

/// Returns a buffer of single ints with gaps.
Data scattered() {
  Type type(PMPI_Type_vector, ints, 1, 2, MPI_INT);
  return Data({std::move(type), 1}, ints);
}

/// A way to receive that the library does not see.
struct Past {
  const char* name;
  void (*receive)(const Data& data, MPI_Comm comm, MPI_Status* status);
};

void recv(const Data& data, MPI_Comm comm, MPI_Status* status) {
  own<MPI_Recv>("MPI_Recv")(data.address(), data.count(), data.type(), 0, tag, comm, status);
}

void irecv(const Data& data, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  own<MPI_Irecv>("MPI_Irecv")(data.address(), data.count(), data.type(), 0, tag, comm, &request);
  own<MPI_Wait>("MPI_Wait")(&request, status);
}

void recv_init(const Data& data, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  own<MPI_Recv_init>("MPI_Recv_init")(data.address(), data.count(), data.type(), 0, tag, comm, &request);
  own<MPI_Start>("MPI_Start")(&request);
  own<MPI_Wait>("MPI_Wait")(&request, status);
  own<MPI_Request_free>("MPI_Request_free")(&request);
}

void probe(const Data& data, MPI_Comm comm, MPI_Status* status) {
  MPI_Status seen{};
  int bytes = 0;
  own<MPI_Probe>("MPI_Probe")(0, tag, comm, &seen);
  PMPI_Get_count(&seen, MPI_BYTE, &bytes);
  CHECK(bytes == 4 * ints);
  recv(data, comm, status);
}

void mprobe(const Data& data, MPI_Comm comm, MPI_Status* status) {
  MPI_Message message = MPI_MESSAGE_NULL;
  own<MPI_Mprobe>("MPI_Mprobe")(0, tag, comm, &message, MPI_STATUS_IGNORE);
  own<MPI_Mrecv>("MPI_Mrecv")(data.address(), data.count(), data.type(), &message, status);
}

constexpr Past pasts[] = {{"Recv", recv},
                          {"Irecv, Wait", irecv},
                          {"Recv_init, Start, Wait", recv_init},
                          {"Probe, Recv", probe},
                          {"Mprobe, Mrecv", mprobe}};

/// Rank 0 sends in a phase, in every way. Rank 1 receives past the library, inside and outside a phase.
void transfer(Helpers& helpers, const Comm& world) {
  const AttachedBuffer buffer;
  int key = 0;
  for (const Sending& sending : sendings()) {
    if (sending.needs_receive) continue;
    for (const Past& past : pasts) {
      for (const bool in_phase : {false, true}) {
        INFO(sending.name << " to " << past.name << (in_phase ? " in a phase" : ""));
        Data data = scattered();
        ++key;
        if (world.rank() == 0) {
          data.put(key);
          MPI_Request request = MPI_REQUEST_NULL;
          helpers.phase([&] {
            CHECK(sending.start(data, {world, 1, tag}, &request) == MPI_SUCCESS);
            CHECK(complete(completings().front(), request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          });
          if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
        } else {
          MPI_Status status{};
          const auto receive = [&] { past.receive(data, world, &status); };
          if (in_phase)
            helpers.phase(receive);
          else
            receive();
          CHECK(data.holds(key, ints));
          check_status(status, 0, tag, data, ints);
        }
      }
    }
  }
}

/// Returns whether MPI_HELPER_ANNOUNCE=off is set at one of the first two ranks. Then it neither announces
/// messages nor accepts announcements.
bool rendezvous_are_off() {
  const char* const set = std::getenv("MPI_HELPER_ANNOUNCE");
  int off = set != nullptr && std::string_view(set) == "off";
  PMPI_Allreduce(MPI_IN_PLACE, &off, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return off != 0;
}

} // namespace

TEST_CASE("A process that has received nothing by the library is sent data") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  PMPI_Barrier(MPI_COMM_WORLD); // all ranks have teams
  if (world.rank() > 1) return;
  transfer(helpers, world);
}

TEST_CASE("With MPI_HELPER_ANNOUNCE=off at one side a process may receive by the library and past it") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  if (!rendezvous_are_off() || world.rank() > 1) return;
  Data data = scattered();
  for (const Receiving& way : receivings()) {
    INFO(way.name);
    if (world.rank() == 0) {
      data.put(1);
      helpers.phase([&] { MPI_Send(data.address(), data.count(), data.type(), 1, tag, world); });
      continue;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status{};
    data.clear();
    helpers.phase([&] {
      CHECK(way.start(data, {world, 0, tag}, &status, &request) == MPI_SUCCESS);
      CHECK(complete(completings().front(), request, &status) == MPI_SUCCESS);
    });
    CHECK(data.holds(1, ints));
    check_status(status, 0, tag, data, ints);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
  transfer(helpers, world);
}
