// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/requests.hpp"

#include "ranks/mpi_error.hpp"
#include "ranks/world.hpp"

namespace helper::message {

int make_empty(MPI_Status& status) noexcept {
  status.MPI_SOURCE = MPI_ANY_SOURCE;
  status.MPI_TAG = MPI_ANY_TAG;
  PMPI_Status_set_elements_x(&status, MPI_BYTE, 0);
  return PMPI_Status_set_cancelled(&status, 0);
}

namespace {

/// Returns whether an error that look_at_native() returns has reached no handler of the program.
bool are_unheard() noexcept {
  return ranks::reporting() == ranks::Reporting::by_request_or_self || ErrorsReturn::any();
}

} // namespace

bool NonblockingOperation::advance(team::Member& member) noexcept {
  const std::unique_lock lock(busy_, std::try_to_lock);
  return lock.owns_lock() && !complete() && can_step() && in_state([&] { return step(member); });
}

int GeneralisedRequest::start() {
  const auto query = [](void*, MPI_Status* status) { return make_empty(*status); };
  const auto free = [](void*) -> int { return MPI_SUCCESS; };
  const auto cancel = [](void*, int) -> int { return MPI_SUCCESS; };
  return PMPI_Grequest_start(query, free, cancel, nullptr, &request_);
}

int SendOperation::announce(Start start, const RendezvousSend::Candidate& message, MPI_Request& request) {
  if (request != MPI_REQUEST_NULL) return out_.announce(start, message);
  const int code = stand_in_.start_for([&] { return out_.announce(start, message); });
  if (code == MPI_SUCCESS) request = stand_in_.request();
  return code;
}

bool SendOperation::step(team::Member& member) noexcept {
  const bool advanced = out_.advance(member);
  if (!out_.sent(member)) return advanced;
  if (stand_in_.request() != MPI_REQUEST_NULL) stand_in_.complete();
  set_complete();
  return true;
}

Code SendOperation::result(MPI_Status& status) {
  make_empty(status);
  return out_.result();
}

Code SendOperation::finish(MPI_Request& request, MPI_Status& status) {
  if (stand_in_.request() != MPI_REQUEST_NULL) PMPI_Wait(&request, MPI_STATUS_IGNORE);
  return result(status);
}

bool SendOperation::under_way() noexcept {
  const std::lock_guard lock(busy_);
  return !out_.packed();
}

std::size_t SendOperation::left() noexcept {
  const std::lock_guard lock(busy_);
  return out_.left();
}

void SendOperation::rescue() noexcept {
  const std::lock_guard lock(busy_);
  if (!complete()) out_.rescue();
}

bool ReceiveOperation::goes_on(const MPI_Status& status) {
  if (in_) return true; // MPI, while it completed the request, called a function that advanced the operation
  int cancelled = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  if (cancelled != 0) return false;
  in_ = RendezvousReceive::of(data_, status);
  status_ = status;
  return in_.has_value();
}

int ReceiveOperation::stand_in(MPI_Request& request) {
  const int code = stand_in_.start();
  if (code != MPI_SUCCESS) return code;
  stand_in_.complete(); // like the native receive of the RTS
  request = request_ = stand_in_.request();
  return code;
}

bool ReceiveOperation::look(team::Member&) {
  {
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock.owns_lock() || has_begun()) return false;
  }
  try {
    MPI_Status status;
    int arrived = 0;
    const int code = look_at_native(request_, &arrived, &status);
    if (arrived != 0 || code != MPI_SUCCESS) learn(status, code);
    return true;
  } catch (...) { // thrown by the program's error handler; MPI has ended the receive
    learn({}, MPI_ERR_OTHER);
    throw;
  }
}

void ReceiveOperation::learn(const MPI_Status& status, int code) {
  const std::lock_guard lock(busy_);
  if (!has_begun()) arrive(status, code);
}

void ReceiveOperation::arrive(const MPI_Status& status, int code) noexcept {
  status_ = status;
  code_ = code;
  is_unheard_ = code != MPI_SUCCESS && are_unheard();
  if (origin_) {
    status_.MPI_SOURCE = origin_->MPI_SOURCE;
    status_.MPI_TAG = origin_->MPI_TAG;
  }
  int cancelled = 0;
  PMPI_Test_cancelled(&status_, &cancelled);
  if (code_ == MPI_SUCCESS && cancelled == 0) in_ = RendezvousReceive::of(data_, status_);
  if (!in_) set_complete();
  requests::set_carried(*this);
}

// step() may ask MPI once the beginning of an RTS is in a buffer with room for it: then MPI has no error to
// report. The buffer of a detached receive is not read, since the user may have freed it.
bool ReceiveOperation::can_step() const noexcept {
  if (in_ || detached()) return true;
  if (data_.size() < Rts::end_bytes) return false;
  if (data_.lands_elsewhere()) return data_.has_layout() && Rts::begins(data_.landing());
  return !data_.is_by_mpi() && Rts::begins(data_);
}

bool ReceiveOperation::step(team::Member& member) noexcept {
  if (!in_) {
    MPI_Status status;
    int arrived = 0;
    // Errors of a freed request are reported to nobody.
    const ErrorsReturn errors(detached() ? ranks::world::comm() : MPI_COMM_NULL);
    const int code = look_at_native(request_, &arrived, &status);
    if (arrived == 0 && code == MPI_SUCCESS) return false;
    arrive(status, code);
    if (complete()) return true;
  }
  const bool advanced = in_->advance(member, data_);
  if (!in_->done()) return advanced;
  in_->correct(status_);
  set_complete();
  return true;
}

Code ReceiveOperation::result(MPI_Status& status) {
  status = status_;
  return in_ ? Code{in_->error(), true} : Code{code_, is_unheard_};
}

Code ReceiveOperation::finish(MPI_Request& request, MPI_Status& status) {
  MPI_Request& native = request == request_ ? request : request_;
  status = status_;
  // MPI_Wait would report an error again.
  if (code_ != MPI_SUCCESS && ranks::reporting() != ranks::Reporting::by_request_or_self) {
    PMPI_Request_free(&native);
    return {code_, is_unheard_};
  }
  code_ = PMPI_Wait(&native, MPI_STATUS_IGNORE); // quirk get_status_hides_error
  if (in_) return {in_->error(), true};
  return {code_, is_resent_ && ranks::reporting() != ranks::Reporting::to_world};
}

bool ReceiveOperation::under_way() noexcept {
  const std::lock_guard lock(busy_);
  return in_ && !complete();
}

std::size_t ReceiveOperation::left() noexcept {
  if (complete() || !data_.has_layout() || !is_scattered(data_.layout())) return 0;
  const std::lock_guard lock(busy_);
  return in_ ? in_->left() : data_.size();
}

int ReceiveOperation::cancel() {
  const std::lock_guard lock(busy_);
  return in_ || complete() ? MPI_SUCCESS : PMPI_Cancel(&request_);
}

} // namespace helper::message
