// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/operation.hpp"

#include <unordered_map>
#include <vector>

namespace helper::message {

bool Operation::advance(team::Member& member) noexcept {
  const std::unique_lock lock(busy_, std::try_to_lock);
  return lock.owns_lock() && !complete() && step(member);
}

MPI_Request SendOperation::make_request() {
  const auto query = [](void*, MPI_Status* status) {
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    PMPI_Status_set_elements_x(status, MPI_BYTE, 0);
    return PMPI_Status_set_cancelled(status, 0);
  };
  const auto free = [](void*) { return MPI_SUCCESS; };
  const auto cancel = [](void*, int) { return MPI_SUCCESS; };
  PMPI_Grequest_start(query, free, cancel, nullptr, &request_);
  return request_;
}

bool SendOperation::step(team::Member& member) noexcept {
  const bool advanced = out_.advance(member);
  if (!out_.sent()) return advanced;
  PMPI_Grequest_complete(request_);
  set_complete();
  return true;
}

int SendOperation::result(MPI_Status& status) {
  int flag = 0;
  return PMPI_Request_get_status(request_, &flag, &status);
}

int SendOperation::finish(MPI_Request& request, MPI_Status& status) {
  return PMPI_Wait(&request, &status);
}

bool ReceiveOperation::step(team::Member& member) noexcept {
  if (!in_) {
    int arrived = 0;
    code_ = PMPI_Request_get_status(request_, &arrived, &status_);
    if (arrived == 0 && code_ == MPI_SUCCESS) return false;
    if (code_ == MPI_SUCCESS) in_ = Incoming::announced(data_, status_);
    if (!in_) {
      set_complete();
      return true;
    }
  }
  const bool advanced = in_->advance(member, data_);
  if (!in_->done()) return advanced;
  in_->correct(status_);
  set_complete();
  return true;
}

int ReceiveOperation::result(MPI_Status& status) {
  status = status_;
  return in_ ? in_->error() : code_;
}

int ReceiveOperation::finish(MPI_Request& request, MPI_Status& status) {
  // An error has been reported once, by MPI_Request_get_status; MPI_Wait would do it again.
  if (code_ != MPI_SUCCESS) {
    PMPI_Request_free(&request);
  } else {
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return result(status);
}

namespace requests {

namespace {

/// Never destroyed: threads may communicate until the process ends.
struct Table {
  std::mutex mutex; // guards the rest
  std::unordered_map<MPI_Request, std::shared_ptr<Operation>> operations;
  std::vector<MPI_Request> in_turn; // the keys
  std::size_t turn = 0;
};

Table& table() {
  static auto* const instance = new Table;
  return *instance;
}

// How many there are. A thread that asks for a request has synchronised with who tracked it; relaxed.
std::atomic<std::size_t> tracked{0};

} // namespace

bool any() noexcept {
  return tracked.load(std::memory_order_relaxed) != 0;
}

void track(MPI_Request request, std::shared_ptr<Operation> operation) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  all.operations.emplace(request, std::move(operation));
  all.in_turn.push_back(request);
  tracked.store(all.operations.size(), std::memory_order_relaxed);
}

std::shared_ptr<Operation> find(MPI_Request request) {
  if (!any()) return nullptr;
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.operations.find(request);
  return found == all.operations.end() ? nullptr : found->second;
}

void forget(MPI_Request request) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  all.operations.erase(request);
  std::erase(all.in_turn, request);
  tracked.store(all.operations.size(), std::memory_order_relaxed);
}

bool advance_one(team::Member& member) noexcept {
  if (!any()) return false;
  std::shared_ptr<Operation> operation;
  {
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    if (all.in_turn.empty()) return false;
    operation = all.operations.at(all.in_turn[++all.turn % all.in_turn.size()]);
  }
  return operation->advance(member);
}

} // namespace requests

} // namespace helper::message
