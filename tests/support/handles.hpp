// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "support/mpi_support.hpp"

namespace test_support {

/// Sets the error handler of functions that name no communicator while the object lives.
class UnnamedHandler {
public:
  explicit UnnamedHandler(MPI_Comm_errhandler_function* function) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
    MPI_Comm_create_errhandler(function, &handler);
    set_unnamed_errhandler(handler);
    MPI_Errhandler_free(&handler);
  }
  ~UnnamedHandler() {
    set_unnamed_errhandler(before_);
    MPI_Errhandler_free(&before_);
  }
  UnnamedHandler(const UnnamedHandler&) = delete;
  UnnamedHandler& operator=(const UnnamedHandler&) = delete;

private:
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// Holds a handle, which the derived class makes and frees.
template <class Handle>
class Holder {
public:
  Holder() = default;
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  operator Handle() const { return handle_; }

protected:
  ~Holder() = default;

  Handle handle_{};
};

/// An info object with the given hints.
class Info : public Holder<MPI_Info> {
public:
  Info(std::initializer_list<std::pair<const char*, std::string>> hints) {
    PMPI_Info_create(&handle_);
    for (const auto& [key, value] : hints) PMPI_Info_set(handle_, key, value.c_str());
  }
  ~Info() { PMPI_Info_free(&handle_); }
};

} // namespace test_support
