// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <optional>
#include <string>

namespace helper::process {

/// On a notice board the processes of an MPI_COMM_WORLD leave notes for one another without MPI. What a
/// process has left before MPI is initialised the others find when that is done, since to initialise MPI
/// takes all of them. It is for one thread and never waits for other processes.
class NoticeBoard {
public:
  /// A note says of its process whether its settings ask the library to do something.
  enum class Note { quiet, asked };

  /// Returns the board that this process's launcher or node has; nullptr if none is known.
  static std::unique_ptr<NoticeBoard> find();

  virtual ~NoticeBoard() = default;
  NoticeBoard(const NoticeBoard&) = delete;
  NoticeBoard& operator=(const NoticeBoard&) = delete;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  /// Returns which of the programs that were started together this is, counted from 0; nothing if not known.
  virtual std::optional<int> application() { return std::nullopt; }

  /// Leaves a note; it cannot be read if that fails. Several processes may leave notes of one name, of which
  /// any may be found.
  virtual void leave(const std::string& name, Note note) = 0;
  virtual std::optional<Note> read(const std::string& name) = 0;

protected:
  NoticeBoard(int rank, int size) noexcept : rank_(rank), size_(size) {}

private:
  const int rank_;
  const int size_;
};

} // namespace helper::process
