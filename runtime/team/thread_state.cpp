// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "team/thread_state.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#include <xmmintrin.h>
#endif

namespace helper::team {

#ifdef __x86_64__

namespace {

// `flags`: exception bits in MXCSR and x87 status, mask bits in x87 control. `masks`: mask bits in MXCSR.
constexpr std::uint32_t flags = 0x3f;
constexpr int masks_shift = 7;
constexpr std::uint32_t masks = flags << masks_shift;
constexpr std::uint32_t initial_mxcsr = 0x1f80;
constexpr std::uint16_t initial_x87 = 0x37f;
constexpr std::uint16_t x87_error_summary = 0x80;

constexpr std::uint64_t pack(std::uint32_t mxcsr, std::uint16_t x87) {
  return std::uint64_t{x87 | flags} << 32 | ((mxcsr & ~flags) | masks);
}

std::uint16_t x87_control() noexcept {
  std::uint16_t word = 0;
  asm volatile("fnstcw %0" : "=m"(word));
  return word;
}

std::uint16_t x87_status() noexcept {
  std::uint16_t word = 0;
  asm volatile("fnstsw %0" : "=a"(word));
  return word;
}

/// Returns whether the processor and the system have protection keys: CPUID leaf 7, bit OSPKE.
bool find_keys() noexcept {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx & 1u << 4) != 0;
}
const bool has_keys = find_keys();

std::uint32_t own_keys() noexcept {
  if (!has_keys) return 0;
  std::uint32_t eax = 0, edx = 0;
  asm volatile(".byte 0x0f, 0x01, 0xee" : "=a"(eax), "=d"(edx) : "c"(0)); // rdpkru
  return eax;
}

void set_keys(std::uint32_t keys) noexcept {
  asm volatile(".byte 0x0f, 0x01, 0xef" : : "a"(keys), "c"(0), "d"(0) : "memory"); // wrpkru
}

} // namespace

ThreadState ThreadState::own() noexcept {
  return {pack(_mm_getcsr(), x87_control()), own_keys()};
}

ThreadState ThreadState::initial() noexcept {
  return {pack(initial_mxcsr, initial_x87), own_keys()};
}

InState::InState(const ThreadState& state) noexcept : keys_before_(own_keys()) {
  const auto mxcsr = static_cast<std::uint32_t>(state.floating_point_);
  const auto x87 = static_cast<std::uint16_t>(state.floating_point_ >> 32);
  before_.__mxcsr = _mm_getcsr();
  if (before_.__mxcsr != mxcsr) _mm_setcsr(mxcsr);
  if (x87_control() != x87 || (x87_status() & flags) != 0) {
    has_changed_x87_ = true;
    const std::uint32_t kept = before_.__mxcsr;
    asm volatile("fnstenv %0" : "=m"(before_)); // stores all but __mxcsr
    before_.__mxcsr = kept;
    std::fenv_t wanted = before_;
    wanted.__control_word = x87;
    wanted.__status_word &= static_cast<std::uint16_t>(~(flags | x87_error_summary));
    asm volatile("fldenv %0" : : "m"(wanted));
  }
  if (keys_before_ != state.keys_) set_keys(state.keys_);
}

InState::~InState() {
  if (has_keys && own_keys() != keys_before_) set_keys(keys_before_);
  if (has_changed_x87_) {
    asm volatile("fldenv %0" : : "m"(before_));
  } else if ((x87_status() & flags) != 0) {
    asm volatile("fnclex");
  }
  if (_mm_getcsr() != before_.__mxcsr) _mm_setcsr(before_.__mxcsr);
}

Exceptions InState::raised() const noexcept {
  return (_mm_getcsr() | x87_status()) & flags;
}

void raise_exceptions(Exceptions exceptions) noexcept {
  const std::uint32_t mxcsr = _mm_getcsr();
  const Exceptions trapped = exceptions & ~(mxcsr >> masks_shift);
  if (trapped != 0) std::feraiseexcept(static_cast<int>(trapped) & FE_ALL_EXCEPT);
  if ((exceptions & ~mxcsr) != 0) _mm_setcsr(_mm_getcsr() | exceptions);
}

#else

namespace {

#ifdef __aarch64__
// The bits of FPCR that enable traps.
constexpr std::uint64_t traps = 0x9f00;

std::uint64_t control() noexcept {
  std::uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr & ~traps;
}

void set_control(std::uint64_t fpcr) noexcept {
  asm volatile("msr fpcr, %0" : : "r"(fpcr));
}
#else
std::uint64_t control() noexcept {
  return static_cast<std::uint64_t>(std::fegetround());
}

void set_control(std::uint64_t rounding) noexcept {
  std::fesetround(static_cast<int>(rounding));
}
#endif

} // namespace

ThreadState ThreadState::own() noexcept {
  return {control(), 0};
}

ThreadState ThreadState::initial() noexcept {
#ifdef __aarch64__
  return {0, 0};
#else
  return {FE_TONEAREST, 0};
#endif
}

InState::InState(const ThreadState& state) noexcept {
  std::feholdexcept(&before_);
  if (control() != state.floating_point_) set_control(state.floating_point_);
}

InState::~InState() {
  std::fesetenv(&before_);
}

Exceptions InState::raised() const noexcept {
  return static_cast<Exceptions>(std::fetestexcept(FE_ALL_EXCEPT));
}

// Only sets flags: AArch64 usually has no traps, and feraiseexcept() might also raise FE_INEXACT.
void raise_exceptions(Exceptions exceptions) noexcept {
  const auto missing = static_cast<int>(exceptions) & ~std::fetestexcept(FE_ALL_EXCEPT);
  const auto set = static_cast<std::fexcept_t>(missing);
  if (missing != 0) std::fesetexceptflag(&set, missing);
}

#endif

} // namespace helper::team
