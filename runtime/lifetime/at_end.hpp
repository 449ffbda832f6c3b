// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace helper::lifetime {

/// Calls `act()`, which must not throw, at the end of its scope, even if an exception or the cancellation of
/// the thread ends it.
template <class Act>
class AtEnd {
public:
  [[nodiscard]] explicit AtEnd(Act act) noexcept : act_(act) {}
  ~AtEnd() { act_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

private:
  const Act act_;
};

} // namespace helper::lifetime
