// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <numeric>
#include <string_view>
#include <vector>

#include "errors/faults.hpp"
#include "errors/reports.hpp"
#include "message/message.hpp"
#include "message/requests.hpp"
#include "support/as_shared_library.hpp"
#include "support/catch.hpp"
#include "support/handles.hpp"
#include "support/helpers.hpp"

// Tests failures of partitioned messages. The library carries them from the second start of a request on.

#ifdef MPI_HELPER_PARTITIONED

using namespace test_support;

namespace {

constexpr int tag = 3;
constexpr int partitions = 4;
constexpr int numbers = 64 * 1024; // of ints in a message; every second int of the memory is one

/// One side of a partitioned message from rank 0 to rank 1, and its request. The message has `all` ints in
/// `cut` partitions. An element of the datatype has `block` ints.
class Side {
public:
  explicit Side(int all = numbers, int cut = partitions, int block = 1)
      : all_(all), cut_(cut), count_(all / cut / block), memory_(2 * static_cast<std::size_t>(all)) {
    MPI_Datatype every_other = MPI_DATATYPE_NULL;
    PMPI_Type_vector(block, 1, 2, MPI_INT, &every_other);
    PMPI_Type_create_resized(every_other, 0, 2 * block * MPI_Aint{sizeof(int)}, &type_);
    PMPI_Type_commit(&type_);
    PMPI_Type_free(&every_other);
  }
  ~Side() { PMPI_Type_free(&type_); }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  bool sends() const { return rank_ == 0; }
  MPI_Request* request() { return &request_; }
  bool is_carried() const { return helper::message::requests::find(&request_) != nullptr; }

  int make() {
    const auto peer = 1 - rank_;
    return sends() ? MPI_Psend_init(memory_.data(), cut_, count_, type_, peer, tag, MPI_COMM_WORLD,
                                    MPI_INFO_NULL, &request_)
                   : MPI_Precv_init(memory_.data(), cut_, count_, type_, peer, tag, MPI_COMM_WORLD,
                                    MPI_INFO_NULL, &request_);
  }
  void put(int key) {
    for (int i = 0; i < all_; ++i) memory_[2 * static_cast<std::size_t>(i)] = sends() ? key + i : -1;
  }
  bool holds(int key) const {
    bool all = true;
    for (int partition = 0; partition < cut_; ++partition) all = all && holds(key, partition);
    return all;
  }
  bool holds(int key, int partition) const {
    const int each = all_ / cut_;
    bool all = true;
    for (int i = partition * each; i < (partition + 1) * each; ++i)
      all = all && memory_[2 * static_cast<std::size_t>(i)] == key + i;
    return all;
  }

  /// Starts and completes message `key`. All calls must succeed.
  void pass(int key) {
    put(key);
    CHECK(MPI_Start(&request_) == MPI_SUCCESS);
    if (sends()) CHECK(MPI_Pready_range(0, cut_ - 1, request_) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request_, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(holds(key));
  }

  /// Makes a request. The library carries its next start and announces the units, which are sent even if
  /// nobody receives them.
  void prepare() {
    CHECK(make() == MPI_SUCCESS);
    pass(0);
    pass(1);
    MPI_Barrier(MPI_COMM_WORLD);
  }

private:
  const int rank_ = rank_of(MPI_COMM_WORLD);
  const int all_;
  const int cut_;
  const int count_;
  std::vector<int> memory_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Calls `with(fault)` repeatedly: at rank `culprit` call 1 of `function` fails, then call 2, and so on,
/// until `with` returns at all ranks that no call failed. Returns how many calls failed.
template <class With>
int for_each_fault(std::string_view function, int culprit, const With& with) {
  int met = 0;
  for (int nth = 1;; ++nth) {
    INFO(function << " " << nth << " at rank " << culprit);
    handled = 0;
    const bool fired = with(rank_of(MPI_COMM_WORLD) == culprit ? Fault{function, nth} : Fault{});
    if (counted(fired, false, false)[0] == 0) return met;
    ++met;
  }
}

} // namespace

TEST_CASE("A partitioned request that cannot be made is made again, and matched as it would have been") {
  const UnnamedHandler counting(count_error);
  Helpers helpers;
  for (const int culprit : {0, 1}) {
    for (const char* function : {culprit == 0 ? "PMPI_Psend_init" : "PMPI_Precv_init", "operator new"}) {
      const int met = for_each_fault(function, culprit, [&](const Fault& fault) {
        Side side;
        bool fired = false;
        helpers.phase([&] {
          Injected injected(fault);
          const int code = side.make();
          fired = injected.fired();
          injected.remove();
          CHECK(handled == (code == MPI_SUCCESS ? 0 : 1));
          CHECK((code == MPI_SUCCESS || is_of(code, fired, fault)));
          if (code != MPI_SUCCESS) CHECK(side.make() == MPI_SUCCESS);
          for (int start = 0; start < 3; ++start) side.pass(start);
          MPI_Request_free(side.request());
        });
        return fired;
      });
      CHECK(met >= 2); // one for the note, one for the request
    }
  }
}

TEST_CASE("A small partitioned request is one of MPI's") {
  Helpers helpers;
  Side side(numbers / 2 - partitions);
  bool fired = false;
  helpers.phase([&] {
    Injected injected({side.sends() ? "PMPI_Psend_init" : "PMPI_Precv_init", 2});
    CHECK(side.make() == MPI_SUCCESS);
    fired = injected.fired();
    injected.remove();
    for (int start = 0; start < 3; ++start) side.pass(start);
    MPI_Request_free(side.request());
  });
  CHECK(!fired);
}

TEST_CASE("A partition whose unit cannot be sent is not ready, and is made ready again") {
  const UnnamedHandler counting(count_error);
  Helpers helpers;
  for (const char* function : {"PMPI_Isend", "PMPI_Grequest_start", "operator new"}) {
    const int met = for_each_fault(function, 0, [&](const Fault& fault) {
      Side side;
      bool fired = false;
      helpers.phase([&] {
        side.prepare();
        side.put(2);
        CHECK(MPI_Start(side.request()) == MPI_SUCCESS);
        Injected injected(fault);
        int failures = 0;
        for (int partition = 0; partition < partitions && side.sends(); ++partition) {
          const int code = MPI_Pready(partition, *side.request());
          if (code == MPI_SUCCESS) continue;
          ++failures;
          fired = injected.fired();
          injected.remove();
          CHECK(is_of(code, fired, fault));
          CHECK(MPI_Pready(partition, *side.request()) == MPI_SUCCESS);
        }
        fired = injected.fired();
        injected.remove();
        CHECK(handled == failures);
        CHECK(MPI_Wait(side.request(), MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(side.holds(2));
        side.pass(3);
        MPI_Request_free(side.request());
      });
      return fired;
    });
    CHECK(met >= 1);
  }
}

TEST_CASE("A unit that cannot be received breaks the request, which says so from then on") {
  const UnnamedHandler counting(count_error);
  Helpers helpers;
  for (const char* function : {"PMPI_Irecv_c", "operator new"}) {
    int broken = 0;
    for_each_fault(function, 1, [&](const Fault& fault) {
      Side side;
      bool fired = false;
      helpers.phase([&] {
        side.prepare();
        side.put(2);
        Injected injected(fault);
        int code = MPI_Start(side.request());
        fired = injected.fired();
        injected.remove();
        if (code != MPI_SUCCESS) { // a start that fails has no effect
          CHECK(is_of(code, fired, fault));
          CHECK(handled == 1);
          handled = 0;
          code = MPI_Start(side.request());
        }
        CHECK(code == MPI_SUCCESS);
        CHECK(side.is_carried());
        if (side.sends()) MPI_Pready_range(0, partitions - 1, *side.request());
        code = MPI_Wait(side.request(), MPI_STATUS_IGNORE);
        CHECK(handled == (code == MPI_SUCCESS ? 0 : 1));
        if (code == MPI_SUCCESS) {
          CHECK(side.holds(2));
        } else {
          ++broken;
          CHECK(is_of(code, fired, fault));
          CHECK(class_of(MPI_Start(side.request())) == MPI_ERR_OTHER);
          CHECK(class_of(MPI_Start(side.request())) == MPI_ERR_OTHER);
          CHECK(!side.is_carried());
        }
        MPI_Request_free(side.request());
      });
      return fired && broken == 0; // stops after one broken request, because each costs a stream
    });
    CHECK((broken > 0) == (rank_of(MPI_COMM_WORLD) == 1));
  }
}

TEST_CASE("MPI_Parrived is false of what has not arrived for an error") {
  const UnnamedHandler counting(count_error);
  Helpers helpers;
  Side side;
  helpers.phase([&] {
    side.prepare();
    side.put(2);
    Injected injected(side.sends() ? Fault{} : Fault{"PMPI_Irecv_c", 1});
    CHECK(MPI_Start(side.request()) == MPI_SUCCESS);
    CHECK(injected.fired() != side.sends());
    injected.remove();
    if (side.sends()) {
      MPI_Pready_range(0, partitions - 1, *side.request());
    } else {
      for (int partition = 1; partition < partitions; ++partition) { // each partition is a unit
        for (int arrived = 0; arrived == 0;) MPI_Parrived(*side.request(), partition, &arrived);
      }
      int arrived = 1;
      CHECK(MPI_Parrived(*side.request(), 0, &arrived) == MPI_SUCCESS);
      CHECK(arrived == 0);
    }
    CHECK((MPI_Wait(side.request(), MPI_STATUS_IGNORE) == MPI_SUCCESS) == side.sends());
    MPI_Request_free(side.request());
  });
}

TEST_CASE(
    "MPI_Parrived is true of data alone that are in the buffer, where the two sides' partitions differ") {
  const UnnamedHandler counting(count_error);
  Helpers helpers;
  constexpr int block = 8;
  constexpr int own_partitions = 3;
  constexpr int all = numbers + block; // each partition of the sender ends within a block
  static_assert(all % (own_partitions * block) == 0 && all % partitions == 0 &&
                all / partitions % block != 0);
  const bool sends = rank_of(MPI_COMM_WORLD) == 0;
  Side side(all, sends ? partitions : own_partitions, sends ? 1 : block);
  helpers.phase([&] {
    side.prepare();
    side.put(2);
    Injected injected(sends ? Fault{} : Fault{"PMPI_Irecv_c", 1});
    CHECK(MPI_Start(side.request()) == MPI_SUCCESS);
    CHECK(injected.fired() != sends);
    injected.remove();
    if (sends) {
      MPI_Pready_range(0, partitions - 1, *side.request());
    } else {
      for (int partition = 1; partition < own_partitions; ++partition) {
        for (int arrived = 0; arrived == 0;) MPI_Parrived(*side.request(), partition, &arrived);
        CHECK(side.holds(2, partition));
      }
      int arrived = 1; // it contains the unit that has failed
      CHECK(MPI_Parrived(*side.request(), 0, &arrived) == MPI_SUCCESS);
      CHECK(arrived == 0);
    }
    CHECK((MPI_Wait(side.request(), MPI_STATUS_IGNORE) == MPI_SUCCESS) == sends);
    MPI_Request_free(side.request());
  });
}

#endif
