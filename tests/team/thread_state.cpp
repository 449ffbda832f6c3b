// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests that jobs run in the state of the thread that publishes them, whichever threads run their chunks.

#include "team/thread_state.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cfenv>
#include <csetjmp>
#include <csignal>
#include <limits>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "support/catch.hpp"
#include "team/helper_threads.hpp"
#include "team/team_support.hpp"

using namespace helper::team;

namespace {

/// The state that affects computations of a thread. Flush-to-zero and denormals-are-zero are set together.
struct Mode {
  int rounding = FE_TONEAREST;
  bool flushes = false;

  bool operator==(const Mode&) const = default;
};

#if defined(__x86_64__)
constexpr unsigned flush_bits = 0x8040;
bool flushes() {
  return (_mm_getcsr() & flush_bits) == flush_bits;
}
void set_flushing(bool is_on) {
  _mm_setcsr((_mm_getcsr() & ~flush_bits) | (is_on ? flush_bits : 0));
}
#elif defined(__aarch64__)
constexpr unsigned long flush_bit = 1ul << 24;
bool flushes() {
  unsigned long fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return (fpcr & flush_bit) != 0;
}
void set_flushing(bool is_on) {
  unsigned long fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  asm volatile("msr fpcr, %0" : : "r"((fpcr & ~flush_bit) | (is_on ? flush_bit : 0)));
}
#endif

Mode mode() {
  return {std::fegetround(), flushes()};
}

void set(const Mode& mode) {
  std::fesetround(mode.rounding);
  set_flushing(mode.flushes);
}

/// Saves the floating-point state of the thread. The destructor restores it.
class StateKept {
public:
  StateKept() { std::fegetenv(&kept_); }
  ~StateKept() { std::fesetenv(&kept_); }
  StateKept(const StateKept&) = delete;
  StateKept& operator=(const StateKept&) = delete;

private:
  std::fenv_t kept_{};
};

/// A job with a chunk for each of two threads, which calls `work(is_helper)` when both have begun.
template <class Work>
class ByBoth {
public:
  ByBoth(pthread_t owner, const Work& work) : owner_(owner), work_(work) {}
  explicit ByBoth(const Work& work) : ByBoth(pthread_self(), work) {}

  Job job() { return Job::of(helper::trace::Stage::work, 2, 1, *this); }

  void operator()(std::size_t, std::size_t) const noexcept {
    begun_.fetch_add(1);
    while (begun_.load() < 2) std::this_thread::yield();
    work_(pthread_equal(owner_, pthread_self()) == 0);
  }

private:
  const pthread_t owner_;
  const Work& work_; // called with whether the thread is a helper
  mutable std::atomic<int> begun_{0};
};

/// Calls `act` with the member of this thread. One helper thread is in its team, and first calls `begin()`.
template <class Begin>
void with_helper(const Begin& begin, const std::function<void(Member&)>& act) {
  Team team(1, 2, {});
  Member& primary = team.add();
  const HelperThreads helper(team, 1, [&](int) { begin(); });
  act(primary);
}

volatile double zero = 0, one = 1, greatest = std::numeric_limits<double>::max();
volatile double sink;

} // namespace

TEST_CASE("helpers compute in the mode of the thread that publishes, and then in their own") {
  const StateKept kept;
  const Mode of_helper{GENERATE(FE_TONEAREST, FE_DOWNWARD), GENERATE(false, true)};
  std::array<Mode, 2> seen;
  std::array<volatile double, 2> sums{};
  std::array<volatile long double, 2> long_sums{};
  const auto look = [&](bool is_helper) noexcept {
    seen[is_helper] = mode();
    sums[is_helper] = one + std::numeric_limits<double>::epsilon() / 8;
    const volatile long double term = 1;
    long_sums[is_helper] = term + std::numeric_limits<long double>::epsilon() / 8;
  };
  Mode left;
  with_helper([&] { set(of_helper); },
              [&](Member& primary) {
                for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
                  for (const bool is_flushing : {false, true}) {
                    const Mode of_primary{rounding, is_flushing};
                    set(of_primary);
                    ByBoth job(look);
                    primary.run(job.job());
                    set({});
                    CHECK(seen[false] == of_primary);
                    CHECK(seen[true] == of_primary);
                    CHECK(sums[false] == sums[true]);
                    CHECK(long_sums[false] == long_sums[true]);
                  }
                }
              });
  // The helper must keep its own mode. This thread has the same mode, and looks at it after a chunk.
  std::thread([&] {
    set(of_helper);
    {
      const InState in_state(ThreadState::initial());
      sink = one / 3;
    }
    left = mode();
  }).join();
  CHECK(left == of_helper);
}

TEST_CASE("the exceptions that helpers raise are those of the thread that publishes, and not theirs") {
  const StateKept kept;
  const int raised = GENERATE(FE_DIVBYZERO, FE_OVERFLOW | FE_INEXACT, FE_INEXACT, 0);
  const bool is_long = GENERATE(false, true);
  const int before = GENERATE(0, FE_INVALID, FE_INEXACT);
  CAPTURE(raised, is_long, before);
  std::atomic<int> of_helper{-1};
  const auto raise = [&](bool is_helper) noexcept {
    if (!is_helper) return;
    of_helper = std::fetestexcept(FE_ALL_EXCEPT);
    volatile long double long_sink = 1;
    if (is_long) {
      if (raised == FE_DIVBYZERO) long_sink = long_sink / zero;
      if (raised == FE_INEXACT) long_sink = long_sink / 3;
      if (raised == (FE_OVERFLOW | FE_INEXACT))
        long_sink = std::numeric_limits<long double>::max() * (one + one);
    } else {
      if (raised == FE_DIVBYZERO) sink = one / zero;
      if (raised == FE_INEXACT) sink = one / 3;
      if (raised == (FE_OVERFLOW | FE_INEXACT)) sink = greatest * 2;
    }
  };
  const auto begin = [&] {
    std::feclearexcept(FE_ALL_EXCEPT);
    std::feraiseexcept(before);
  };
  with_helper(begin, [&](Member& primary) {
    for (int repetition = 0; repetition < 2; ++repetition) { // the second job has the state of the first
      std::feclearexcept(FE_ALL_EXCEPT);
      ByBoth job(raise);
      primary.run(job.job());
      const int found = std::fetestexcept(FE_ALL_EXCEPT);
      CHECK(found == raised);
      CHECK(of_helper == 0); // the exceptions of the helper are not seen in the chunk
    }
  });
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(before);
  const int kept_before = std::fetestexcept(FE_ALL_EXCEPT);
  {
    const InState in_state(ThreadState::own());
    raise(true);
    CHECK(static_cast<int>(in_state.raised() & FE_ALL_EXCEPT) == raised);
  }
  const int kept_after = std::fetestexcept(FE_ALL_EXCEPT);
  CHECK(kept_after == kept_before);
}

#ifdef __x86_64__
namespace {

sigjmp_buf out_of_job;
volatile std::sig_atomic_t trapped;
pthread_t trapped_thread;

void leave_job(int) {
  trapped = 1;
  trapped_thread = pthread_self();
  siglongjmp(out_of_job, 1);
}

} // namespace

TEST_CASE("the thread that publishes gets the SIGFPE of what traps in a helper") {
  const StateKept kept;
  struct sigaction action {
  }, before{};
  action.sa_handler = leave_job;
  sigaction(SIGFPE, &action, &before);
  trapped = 0;
  const auto divide = [&](bool is_helper) noexcept {
    if (is_helper) sink = one / zero;
  };
  with_helper([] {},
              [&](Member& primary) {
                ByBoth job(divide);
                feenableexcept(FE_DIVBYZERO);
                if (sigsetjmp(out_of_job, 1) == 0) primary.run(job.job());
                fedisableexcept(FE_ALL_EXCEPT);
                CHECK(trapped == 1);
                CHECK(pthread_equal(trapped_thread, pthread_self()) != 0);
                trapped = 0;
                ByBoth again(divide);
                primary.run(again.job()); // nothing traps now, and the team still works
              });
  CHECK(trapped == 0);
  sigaction(SIGFPE, &before, nullptr);
}

TEST_CASE("helpers may touch what the keys of the thread that publishes protect") {
  const int key = pkey_alloc(0, 0);
  if (key < 0) return; // the processor or the system has no keys
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const page =
      static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  pkey_mprotect(page, size, PROT_READ | PROT_WRITE, key);
  std::array<int, 2> rights{};
  const auto write = [&](bool is_helper) noexcept {
    page[is_helper] = 1;
    rights[is_helper] = pkey_get(key);
  };
  with_helper([&] { pkey_set(key, PKEY_DISABLE_ACCESS); },
              [&](Member& primary) {
                ByBoth job(write);
                primary.run(job.job());
                CHECK(rights == std::array{0, 0});
              });
  munmap(page, size);
  pkey_free(key);
}
#endif

TEST_CASE("helper threads take no signal that is sent to the process") {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  with_helper([] {},
              [&](Member& primary) {
                const auto nothing = [](bool) noexcept {};
                ByBoth job(nothing);
                primary.run(job.job()); // now the helper runs
                for (int number = 1; number <= SIGRTMAX; ++number) {
                  if (sigismember(&all, number) != 1 || number == SIGKILL || number == SIGSTOP) continue;
                  CAPTURE(number);
                  sigset_t one_signal;
                  sigemptyset(&one_signal);
                  sigaddset(&one_signal, number);
                  REQUIRE(kill(getpid(), number) == 0);
                  siginfo_t info;
                  REQUIRE(sigwaitinfo(&one_signal, &info) == number);
                }
              });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}
