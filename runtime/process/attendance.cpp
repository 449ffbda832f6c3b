// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/attendance.hpp"

#include <memory>
#include <optional>

#include "process/notice_board.hpp"

namespace helper::process {

namespace {

using Note = NoticeBoard::Note;

// Asking for every rank takes every launcher's daemon as many answers as there are ranks, for each of its
// node: 10 us each. Where there are more, one executable is taken to be one environment.
constexpr int most_ranks = 64;

// enter() writes it, before MPI is initialised. It is never destroyed: others may look late.
NoticeBoard* board = nullptr;

std::string of_rank(int rank) {
  return "rank" + std::to_string(rank);
}
std::string of_application(int application) {
  return "application" + std::to_string(application);
}
/// Returns the name of the note that says that there are `count` applications.
std::string end_of_applications(int count) {
  return "end" + std::to_string(count);
}

bool by_application() {
  return board->size() > most_ranks && board->application().has_value();
}

std::string missing_rank() {
  for (int rank = 0; rank < board->size(); ++rank) {
    if (!board->read(of_rank(rank))) return "rank " + std::to_string(rank);
  }
  return {};
}

std::string missing_application() {
  int application = 0;
  while (board->read(of_application(application))) ++application;
  if (board->read(end_of_applications(application))) return {};
  return "application " + std::to_string(application) + " of the launcher's command";
}

} // namespace

void Attendance::enter(bool asked) {
  board = NoticeBoard::find().release();
  if (board == nullptr || board->size() == 1) return;
  const Note note = asked ? Note::asked : Note::quiet;
  board->leave(of_rank(board->rank()), note);
  if (!by_application()) return;
  const int application = *board->application();
  board->leave(of_application(application), note);
  if (board->rank() == board->size() - 1) board->leave(end_of_applications(application + 1), note);
}

const Attendance& Attendance::take() {
  static const Attendance taken = [] {
    Attendance found;
    if (board == nullptr || board->size() == 1) return found;
    found.missing_ = by_application() ? missing_application() : missing_rank();
    if (board->rank() == 0 || found.all_here()) return found;
    const auto neighbour = board->read(of_rank(board->rank() - 1));
    found.is_first_here_ = !neighbour;
    found.is_first_asked_ = neighbour != Note::asked;
    return found;
  }();
  return taken;
}

} // namespace helper::process
