// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "native/attribute.hpp"
#include "support/catch.hpp"

using helper::native::Attribute;
using helper::native::Attributes;
using helper::native::Datatypes;

namespace {

std::atomic<int> living{0};

struct Number {
  explicit Number(int is) : value(is) { ++living; }
  ~Number() { --living; }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  const int value;
};

// They live until the process ends, like the attributes of the library.
constinit Attribute<Number> of_communicators;
constinit Attribute<Number> others;
constinit Attribute<Number, Datatypes> of_types;

template <class Kept, class Handle>
int set(Kept& attribute, Handle handle, int value) {
  auto made = std::make_unique<Number>(value);
  return attribute.set(handle, made);
}

constexpr int nothing = -1;

template <class Kept, class Handle>
int get(Kept& attribute, Handle handle) {
  Number* found = nullptr;
  if (attribute.get(handle, found) != MPI_SUCCESS) return -2;
  return found == nullptr ? nothing : found->value;
}

MPI_Comm communicator() {
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_SELF, &made);
  return made;
}

MPI_Datatype datatype() {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  PMPI_Type_dup(MPI_INT, &made);
  return made;
}

} // namespace

TEST_CASE("Each handle keeps its own value of each attribute until it is freed") {
  MPI_Comm comms[] = {communicator(), communicator()};
  for (int i = 0; i < 2; ++i) {
    CHECK(get(of_communicators, comms[i]) == nothing);
    CHECK(set(of_communicators, comms[i], i) == MPI_SUCCESS);
    CHECK(set(others, comms[i], 10 + i) == MPI_SUCCESS);
  }
  CHECK(living == 4);
  for (int i = 0; i < 2; ++i) {
    CHECK(get(of_communicators, comms[i]) == i);
    CHECK(get(others, comms[i]) == 10 + i);
  }
  PMPI_Comm_free(&comms[0]);
  CHECK(living == 2);
  CHECK(get(of_communicators, comms[1]) == 1);
  PMPI_Comm_free(&comms[1]);
  CHECK(living == 0);
}

TEST_CASE("Duplicates have no value") {
  MPI_Comm comm = communicator();
  MPI_Datatype type = datatype();
  CHECK(set(of_communicators, comm, 1) == MPI_SUCCESS);
  CHECK(set(of_types, type, 2) == MPI_SUCCESS);
  MPI_Comm other_comm = MPI_COMM_NULL;
  MPI_Datatype other_type = MPI_DATATYPE_NULL;
  PMPI_Comm_dup(comm, &other_comm);
  PMPI_Type_dup(type, &other_type);
  CHECK(get(of_communicators, other_comm) == nothing);
  CHECK(get(of_types, other_type) == nothing);
  PMPI_Comm_free(&other_comm);
  PMPI_Type_free(&other_type);
  CHECK(get(of_communicators, comm) == 1);
  CHECK(get(of_types, type) == 2);
  PMPI_Comm_free(&comm);
  PMPI_Type_free(&type);
  CHECK(living == 0);
}

TEST_CASE("A value ends when another takes its place, and when it is reset") {
  MPI_Datatype type = datatype();
  of_types.reset(type); // has no effect without a value
  CHECK(set(of_types, type, 1) == MPI_SUCCESS);
  CHECK(set(of_types, type, 2) == MPI_SUCCESS);
  CHECK(living == 1);
  CHECK(get(of_types, type) == 2);
  of_types.reset(type);
  CHECK(living == 0);
  CHECK(get(of_types, type) == nothing);
  PMPI_Type_free(&type);
}

TEST_CASE("What MPI does not take remains the caller's") {
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  auto made = std::make_unique<Number>(1);
  Number* found = made.get();
  CHECK(of_communicators.set(MPI_COMM_NULL, made) != MPI_SUCCESS);
  CHECK(made != nullptr);
  CHECK(of_communicators.get(MPI_COMM_NULL, found) != MPI_SUCCESS);
  CHECK(found == nullptr);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
  PMPI_Errhandler_free(&before);
}

TEST_CASE("Handles that no program frees are left before MPI ends") {
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF})
    CHECK(set(of_communicators, comm, 1) == MPI_SUCCESS);
  CHECK(set(others, MPI_COMM_SELF, 2) == MPI_SUCCESS);
  Attributes::reset_predefined();
  CHECK(living == 0);
  CHECK(set(of_communicators, MPI_COMM_SELF, 2) == MPI_SUCCESS);
  Attributes::free();
  CHECK(living == 0);
}

TEST_CASE(
    "After the key is given back there is a new one, and what is kept by the old one ends with its handle") {
  MPI_Comm comm = communicator();
  CHECK(set(of_communicators, comm, 1) == MPI_SUCCESS);
  Attributes::free();
  CHECK(living == 1);
  CHECK(get(of_communicators, comm) == nothing);
  CHECK(set(of_communicators, comm, 2) == MPI_SUCCESS);
  CHECK(get(of_communicators, comm) == 2);
  PMPI_Comm_free(&comm);
  CHECK(living == 0);
}

TEST_CASE("A memory holds for its handle, as long as no value has been destroyed, nor all been forgotten") {
  MPI_Datatype type = datatype();
  MPI_Datatype other = datatype();
  Attribute<Number, Datatypes>::Last<int> last;
  CHECK_FALSE(of_types.holds(last, MPI_Datatype{}));
  CHECK_FALSE(of_types.holds(last, MPI_DATATYPE_NULL));
  const auto remember = [&] { last = {type, of_types.epoch(), 1}; };
  remember();
  CHECK(set(of_types, type, 1) == MPI_SUCCESS);
  CHECK(set(of_types, other, 2) == MPI_SUCCESS);
  CHECK(of_types.holds(last, type));
  CHECK_FALSE(of_types.holds(last, other));
  PMPI_Type_free(&other);
  CHECK_FALSE(of_types.holds(last, type));
  remember();
  of_types.forget();
  CHECK_FALSE(of_types.holds(last, type));
  remember();
  Attributes::free();
  CHECK_FALSE(of_types.holds(last, type));
  PMPI_Type_free(&type);
}

TEST_CASE("Threads that make, look up and free handles at the same time find what is theirs") {
  constexpr int threads = 4;
  constexpr int rounds = 2000;
  std::atomic<int> wrong{0};
  constinit static Attribute<Number, Datatypes> shared; // at first all threads need its key
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      Attribute<Number, Datatypes>::Last<int> last;
      for (int round = 0; round < rounds; ++round) {
        const int own = thread * rounds + round;
        MPI_Datatype type = datatype();
        const auto epoch = shared.epoch();
        // The handle may have been used before, by this thread or another one.
        if (shared.holds(last, type) || get(shared, type) != nothing) ++wrong;
        if (set(shared, type, own) != MPI_SUCCESS || get(shared, type) != own) ++wrong;
        last = {type, epoch, own};
        if (shared.holds(last, type) && last.what != own) ++wrong;
        PMPI_Type_free(&type);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  CHECK(wrong == 0);
  CHECK(living == 0);
}
