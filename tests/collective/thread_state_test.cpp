// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Reduces numbers that round, overflow and underflow, in threads with any floating-point state. Native MPI in
// the same state must give the same results and exceptions. With two ranks, the order of sums is irrelevant.

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "collective/completed.hpp"
#include "collective/reductions.hpp"
#include "support/catch.hpp"
#include "transport/shadow.hpp"

using namespace test_support;

namespace {

/// Makes the team perform all that it can. By default MPI would perform much of it.
const bool is_wished = setenv("MPI_HELPER_ALGORITHM", "iallreduce=cma,ireduce=cma,iscan=cma", 0) == 0;

/// Sets the rounding mode of the thread for its lifetime. With `flushes`, subnormal numbers count as zero.
class Computing {
public:
  Computing(int rounding, bool flushes) {
    std::fegetenv(&before_);
    std::fesetround(rounding);
#if defined(__x86_64__)
    if (flushes) _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
    unsigned long fpcr = 0;
    asm volatile("mrs %0, fpcr" : "=r"(fpcr));
    asm volatile("msr fpcr, %0" : : "r"(fpcr | (flushes ? 1ul << 24 : 0)));
#endif
  }
  ~Computing() {
    std::fesetenv(&before_);
  }
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;

private:
  std::fenv_t before_{};
};

/// Returns the exceptions that `call` raises at any rank.
template <class Call>
int exceptions_of(const Call& call) {
  std::feclearexcept(FE_ALL_EXCEPT);
  call();
  int raised = std::fetestexcept(FE_ALL_EXCEPT);
  PMPI_Allreduce(MPI_IN_PLACE, &raised, 1, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
  return raised;
}

/// Draws `count` numbers whose sums and products are exact. One in `rare` draws gives a number that may
/// round, overflow or be subnormal.
template <class Real>
std::vector<Real> draw(std::size_t count, Draw& own, int rare) {
  std::vector<Real> values(count);
  for (Real& value : values) value = static_cast<Real>(1 << own.upto(3));
  const std::array strange{std::numeric_limits<Real>::max(),
                           std::numeric_limits<Real>::min() / 3,
                           std::numeric_limits<Real>::denorm_min(),
                           std::numeric_limits<Real>::epsilon() / 3,
                           Real{1} / 3,
                           -Real{1} / 7};
  const auto gap = [&](int most) { return static_cast<std::size_t>(own.upto(most)); };
  for (std::size_t at = gap(rare); at < count; at += 1 + gap(2 * rare)) values[at] = own.of(strange);
  return values;
}

const reductions::Operation& operation(const std::string& name) {
  static const std::vector<reductions::Operation> nonblocking{
      {"Iallreduce", false, reductions::count_of, reductions::count_of,
       reductions::plain<completed<MPI_Iallreduce>>, reductions::plain<PMPI_Allreduce>},
      {"Ireduce", true, reductions::count_of, reductions::count_of,
       reductions::rooted<completed<MPI_Ireduce>>, reductions::rooted<reductions::native_reduce>},
      {"Iscan", false, reductions::count_of, reductions::count_of, reductions::plain<completed<MPI_Iscan>>,
       reductions::plain<PMPI_Scan>}};
  const auto is_it = [&](const auto& candidate) { return candidate.name == name; };
  const auto found = std::ranges::find_if(nonblocking, is_it);
  return found != nonblocking.end() ? *found : *std::ranges::find_if(reductions::operations, is_it);
}

template <class Real>
void compare(Helpers& helpers, const std::string& name, MPI_Datatype type, int count, int rare) {
  const reductions::Operation& its = operation(name);
  const Comm comm(MPI_COMM_WORLD);
  Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
  for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (const bool flushes : {false, true}) {
      for (const MPI_Op op : {MPI_SUM, MPI_PROD}) {
        reductions::Call call{MPI_COMM_WORLD, type, op, count, {}, 0};
        const auto send = draw<Real>(static_cast<std::size_t>(its.contributes(call, comm.size())), own, rare);
        std::vector<Real> carried(static_cast<std::size_t>(count)), native(carried);
        int raised = 0, expected = 0;
        {
          const Computing computing(rounding, flushes);
          helpers.phase(
              [&] { raised = exceptions_of([&] { its.carried(call, send.data(), carried.data()); }); });
          // Twice: in the first call MPI may choose a protocol, with arithmetic that rounds. UCX does that.
          for (int time = 0; time < 2; ++time)
            expected = exceptions_of([&] { its.native(call, send.data(), native.data()); });
        }
        CAPTURE(name, rounding, flushes, op == MPI_SUM, count, rare);
        CHECK(std::ranges::count_if(carried, [&](const Real& value) {
                return value != native[static_cast<std::size_t>(&value - carried.data())];
              }) == 0);
        CHECK(raised == expected);
      }
    }
  }
}

} // namespace

TEST_CASE("Reductions round and flush as the thread that calls, and give it their exceptions") {
  Helpers helpers;
  get_to_know(helpers, Comm(MPI_COMM_WORLD));
  for (const std::string name :
       {"Allreduce", "Reduce", "Reduce_scatter_block", "Scan", "Iallreduce", "Ireduce", "Iscan"}) {
    compare<double>(helpers, name, MPI_DOUBLE, 120000, 100);
    compare<double>(helpers, name, MPI_DOUBLE, 120000, 100000); // few elements raise exceptions
    compare<float>(helpers, name, MPI_FLOAT, 70000, 1000);
    compare<long double>(helpers, name, MPI_LONG_DOUBLE, 30000, 100);
    compare<double>(helpers, name, MPI_DOUBLE, 100, 10);
  }
}

TEST_CASE("What does not block rounds as the thread did when it began") {
  if (!is_wished) return;
  Helpers helpers;
  const Comm comm(MPI_COMM_WORLD);
  get_to_know(helpers, comm);
  constexpr int count = 200000;
  const std::vector<double> send(count, comm.rank() == 0 ? 1.0 : 1e-20);
  std::vector<double> sums(count);
  helpers.phase([&] {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const Computing computing(FE_UPWARD, false);
      MPI_Iallreduce(send.data(), sums.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
  CHECK(std::ranges::count(sums, std::nextafter(1.0, 2.0)) == count);
}
