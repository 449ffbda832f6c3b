// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/tree/enrolment.hpp"

#include <algorithm>
#include <stdexcept>

namespace helper::groups::tree {

void Enrolment::start() {
  begin();
  note_memory();
}

void Enrolment::receive(Id from, const EnrolmentMessage& message) {
  handle(from, message);
  note_memory();
}

void Enrolment::note_memory() {
  state_bytes_ = std::max(state_bytes_, memory() + (group_ ? heap_bytes(group_->children) : 0));
}

std::unique_ptr<Enrolment> make_enrolment(const Scheme& scheme, const Place& place, bool participates,
                                          Send send) {
  if (scheme.branching < 1) throw std::invalid_argument("the branching factor of a tree is at least 1");
  switch (scheme.algorithm) {
  case Scheme::SchemeAlgorithm::centralised:
    return make_centralised(scheme, place, participates, std::move(send));
  case Scheme::SchemeAlgorithm::hash:
    return make_hash(scheme, place, participates, std::move(send));
  case Scheme::SchemeAlgorithm::balance:
    if (scheme.filler != Scheme::Filler::none)
      return make_balance(scheme, place, participates, std::move(send));
    throw std::invalid_argument("shrink-and-balance needs fillers: children or leaves");
  }
  throw std::invalid_argument("no such algorithm");
}

} // namespace helper::groups::tree
