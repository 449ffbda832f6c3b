// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/tree/branch.hpp"

#include "groups/tree/enrolment.hpp"

namespace helper::groups::tree {

std::vector<Candidate> elimination_order(const std::vector<Branch>& branches, std::size_t most) {
  std::vector<std::size_t> taken(branches.size());
  std::vector<Candidate> order;
  const auto left = [&](std::size_t branch) {
    return branches[branch].size - static_cast<Rank>(taken[branch]);
  };
  while (order.size() < most) {
    std::size_t largest = branches.size();
    for (std::size_t i = 0; i < branches.size(); ++i)
      if (taken[i] < branches[i].fillers.size() && (largest == branches.size() || left(i) > left(largest)))
        largest = i;
    if (largest == branches.size()) break;
    order.push_back(branches[largest].fillers[taken[largest]++]);
  }
  return order;
}

void put_report(EnrolmentMessage& message, const Branch& branch) {
  for (const std::int32_t word :
       {branch.root.id, branch.root.sent, branch.size, static_cast<std::int32_t>(branch.fillers.size())})
    message.put(word);
  for (const auto& [id, sent] : branch.fillers) {
    message.put(id);
    message.put(sent);
  }
}

Branch get_report(MessageReader& reader) {
  Branch branch{{reader.get(), reader.get()}, reader.get()};
  branch.fillers.resize(static_cast<std::size_t>(reader.get()));
  for (auto& [id, sent] : branch.fillers) {
    id = reader.get();
    sent = reader.get();
  }
  return branch;
}

std::size_t heap_bytes_of(const std::vector<Branch>& branches) {
  std::size_t bytes = heap_bytes(branches);
  for (const Branch& branch : branches)
    bytes += heap_bytes(branch.fillers) + heap_bytes(branch.victims) + heap_bytes(branch.orders);
  return bytes;
}

} // namespace helper::groups::tree
