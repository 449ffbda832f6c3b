// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/operation.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace helper::message {

namespace {

/// What the status of a send says: nothing.
int describe_send(MPI_Status& status) noexcept {
  status.MPI_SOURCE = MPI_ANY_SOURCE;
  status.MPI_TAG = MPI_ANY_TAG;
  PMPI_Status_set_elements_x(&status, MPI_BYTE, 0);
  return PMPI_Status_set_cancelled(&status, 0);
}

} // namespace

bool Operation::advance(team::Member& member) noexcept {
  const std::unique_lock lock(busy_, std::try_to_lock);
  return lock.owns_lock() && !complete() && step(member);
}

MPI_Request SendOperation::make_request() {
  const auto query = [](void*, MPI_Status* status) { return describe_send(*status); };
  const auto free = [](void*) { return MPI_SUCCESS; };
  const auto cancel = [](void*, int) { return MPI_SUCCESS; };
  PMPI_Grequest_start(query, free, cancel, nullptr, &request_);
  return request_;
}

bool SendOperation::step(team::Member& member) noexcept {
  const bool advanced = out_.advance(member);
  if (!out_.sent()) return advanced;
  if (request_ != MPI_REQUEST_NULL) PMPI_Grequest_complete(request_);
  set_complete();
  return true;
}

int SendOperation::result(MPI_Status& status) {
  return describe_send(status);
}

int SendOperation::finish(MPI_Request& request, MPI_Status& status) {
  return request_ == MPI_REQUEST_NULL ? result(status) : PMPI_Wait(&request, &status);
}

bool SendOperation::under_way() noexcept {
  const std::lock_guard lock(busy_);
  return !out_.packed();
}

void SendOperation::rescue() noexcept {
  const std::lock_guard lock(busy_);
  if (!complete()) out_.rescue();
}

int ReceiveOperation::receive_held(Held held, void* buffer, MPI_Count count, MPI_Datatype type) {
  const int code = PMPI_Imrecv_c(buffer, count, type, &held.message, &request_);
  if (held.payload != nullptr) origin_ = std::move(held);
  return code;
}

bool ReceiveOperation::step(team::Member& member) noexcept {
  if (!in_) {
    int arrived = 0;
    code_ = PMPI_Request_get_status(request_, &arrived, &status_);
    if (arrived == 0 && code_ == MPI_SUCCESS) return false;
    if (origin_) origin_->name_in(status_);
    int cancelled = 0;
    PMPI_Test_cancelled(&status_, &cancelled);
    if (code_ == MPI_SUCCESS && cancelled == 0) in_ = Incoming::announced(data_, status_);
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
  MPI_Request& native = request == request_ ? request : request_;
  // An error has been reported once, by MPI_Request_get_status; MPI_Wait would do it again.
  if (code_ != MPI_SUCCESS) {
    PMPI_Request_free(&native);
  } else {
    PMPI_Wait(&native, MPI_STATUS_IGNORE);
  }
  return result(status);
}

bool ReceiveOperation::under_way() noexcept {
  const std::lock_guard lock(busy_);
  return in_ && !complete();
}

int ReceiveOperation::cancel() {
  const std::lock_guard lock(busy_);
  return in_ || complete() ? MPI_SUCCESS : PMPI_Cancel(&request_);
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
  all.operations.insert_or_assign(request, std::move(operation));
  all.in_turn.push_back(request);
  tracked.store(all.operations.size(), std::memory_order_relaxed);
}

std::shared_ptr<Operation> find(const MPI_Request* request) {
  if (!any() || request == nullptr) return nullptr;
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.operations.find(*request);
  return found == all.operations.end() ? nullptr : found->second;
}

bool forget(MPI_Request request) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const bool found = all.operations.erase(request) != 0;
  std::erase(all.in_turn, request);
  tracked.store(all.operations.size(), std::memory_order_relaxed);
  return found;
}

namespace {

std::vector<std::shared_ptr<Operation>> snapshot() {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  std::vector<std::shared_ptr<Operation>> operations;
  for (const auto& [request, operation] : all.operations) operations.push_back(operation);
  return operations;
}

/// Completes a request that the user has freed.
void dispose(Operation& operation, MPI_Request request) {
  if (!forget(request)) return; // another thread does it
  MPI_Status status;
  operation.finish(request, status);
  if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request); // a persistent one
}

} // namespace

void rescue_all() noexcept {
  for (const auto& operation : snapshot()) operation->rescue();
}

bool under_way() noexcept {
  return std::ranges::any_of(snapshot(), [](const auto& operation) { return operation->under_way(); });
}

bool own_under_way() noexcept {
  return any() && std::ranges::any_of(snapshot(), [](const auto& operation) {
           return operation->own() && operation->under_way();
         });
}

bool advance_one(team::Member& member) noexcept {
  if (!any()) return false;
  MPI_Request request = MPI_REQUEST_NULL;
  std::shared_ptr<Operation> operation;
  {
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    if (all.in_turn.empty()) return false;
    request = all.in_turn[++all.turn % all.in_turn.size()];
    operation = all.operations.at(request);
  }
  const bool advanced = operation->advance(member);
  if (operation->complete() && operation->detached()) dispose(*operation, request);
  return advanced;
}

} // namespace requests

} // namespace helper::message
