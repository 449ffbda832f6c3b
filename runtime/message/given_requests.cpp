// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/given_requests.hpp"

#include <algorithm>
#include <utility>

#include "message/message.hpp"
#include "ranks/mpi_error.hpp"

namespace helper::message {

bool is_ours(MPI_Request request) {
  return eager_receives::has(request) || requests::find(&request) != nullptr ||
         persistent::is_unknown_to_mpi(request);
}

bool may_be_ours(MPI_Request request) noexcept {
  return request != MPI_REQUEST_NULL &&
         (requests::may_have(request) || persistent::collectives.may_have(request) ||
          eager_receives::has(request));
}

bool may_be_ours(int count, const MPI_Request* requests) noexcept {
  return requests != nullptr && count > 0 &&
         std::any_of(requests, requests + count, [](MPI_Request request) { return may_be_ours(request); });
}

bool may_be_withheld(MPI_Request request) noexcept {
  return requests::withheld_names.may_have(request) || persistent::collectives.may_have(request);
}

bool any_ours(int count, const MPI_Request* requests) {
  return requests != nullptr && std::any_of(requests, requests + std::max(count, 0), is_ours);
}

bool valid_places(const int* completed, const int* indices, const MPI_Status* statuses) {
  return completed != nullptr && indices != nullptr && ranks::valid_status(statuses);
}

bool has_completed(int code) {
  if (code == MPI_SUCCESS) [[likely]]
    return true;
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class == MPI_SUCCESS || error_class == MPI_ERR_IN_STATUS;
}

void set_no_errors(int count, MPI_Status* statuses) {
  if (statuses == MPI_STATUSES_IGNORE) return;
  std::for_each_n(statuses, count, [](MPI_Status& status) { status.MPI_ERROR = MPI_SUCCESS; });
}

GivenRequests::GivenRequests(int count, MPI_Request* requests, Given given)
    : count_(count), requests_(requests), gives_receives_(given == Given::receives && may_give_receives()),
      all_native_(!is_copy_cheaper() && !may_be_ours(count, requests)),
      given_(all_native_ ? 0 : static_cast<std::size_t>(count)) {
  if (all_native_) return;
  std::copy_n(requests, count, given_.data());
  if (gives_receives_ && !requests::withheld_names.any() && !persistent::collectives.any()) return;
  for (int index = 0; index < count; ++index) sort_out(index);
}

/// Returns whether passing MPI a copy of the requests costs less than looking at all of them.
bool GivenRequests::is_copy_cheaper() const noexcept {
  return gives_receives_ && requests::any() && requests_ != nullptr && count_ > 0;
}

/// Decides whether to withhold request `index` from MPI.
void GivenRequests::sort_out(int index) {
  MPI_Request& given = given_.data()[index];
  if (!(gives_receives_ ? may_be_withheld(given) : may_be_ours(given))) return;
  auto operation = gives_receives_ ? requests::withheld(given) : requests::operation_of(&given);
  if (operation == nullptr && !persistent::is_unknown_to_mpi(given)) return;
  given = MPI_REQUEST_NULL;
  is_active_ = is_active_ || operation != nullptr;
  withheld_.push_back({index, std::move(operation)});
}

bool GivenRequests::is_withheld(int index) const {
  return std::ranges::binary_search(withheld_, index, {}, &Withheld::index);
}

/// Copies the requests that MPI got, and may have changed, back to the caller's array.
void GivenRequests::give_back() {
  auto next = withheld_.begin();
  for (int index = 0; index < count_; ++index) {
    if (next != withheld_.end() && next->index == index)
      ++next;
    else
      requests_[index] = given_.data()[index];
  }
}

bool GivenRequests::advance_withheld(team::Member& member) {
  bool all = true;
  for (const Withheld& each : withheld_) {
    const auto carry_on = [&] { return each.operation->carry_on_unpolled(member); };
    all = (!each.operation || requests::carried_on(carry_on, *each.operation, &requests_[each.index])) && all;
  }
  return all;
}

NonblockingOperation* GivenRequests::next_withheld(int& at) const {
  auto each = std::ranges::lower_bound(withheld_, at, {}, &Withheld::index);
  for (; each != withheld_.end(); ++each) {
    if (each->operation == nullptr || !each->operation->complete()) continue;
    at = each->index;
    return each->operation.get();
  }
  return nullptr;
}

/// Copies request `index` back to the caller's array. Returns the operation of the request if it continues.
std::shared_ptr<NonblockingOperation> GivenRequests::take(int index, int code, const MPI_Status& status) {
  const MPI_Request name = std::exchange(requests_[index], given_.data()[index]);
  if (!gives_receives_ || name == requests_[index]) return nullptr;
  return requests::take(name, code, status);
}

/// Makes a new request for an operation that continues, and stores it as request `index`. Returns MPI's code.
int GivenRequests::go_on(team::Member& member, int index,
                         const std::shared_ptr<NonblockingOperation>& operation) {
  const int code = requests::go_on(member, operation, requests_[index]);
  if (code != MPI_SUCCESS) return code;
  const auto after = std::ranges::upper_bound(withheld_, index, {}, &Withheld::index);
  withheld_.insert(after, {index, operation});
  is_active_ = true;
  return code;
}

bool GivenRequests::settle_one(team::Member& member, int index, const MPI_Status& status) {
  const auto operation = take(index, MPI_SUCCESS, status);
  if (operation == nullptr) return true;
  ranks::check(go_on(member, index, operation));
  return false;
}

int GivenRequests::settle_some(team::Member& member, int completed, int* indices, MPI_Status* statuses) {
  if (!gives_receives_) return completed;
  requests::GoingOn going_on;
  const int left = going_on.add(completed, indices, statuses, [&](int index, const MPI_Status& status) {
    return take(index, status.MPI_ERROR, status);
  });
  going_on.go_on([&](int index, const auto& operation) { return go_on(member, index, operation); });
  return left;
}

void GivenRequests::settle_all(int code) {
  if (!gives_receives_) return;
  for (int index = 0; index < count_; ++index) {
    if (given_.data()[index] != requests_[index] && !is_withheld(index)) take(index, code, {});
  }
}

} // namespace helper::message
