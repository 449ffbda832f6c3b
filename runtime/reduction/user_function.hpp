// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <variant>

namespace helper::reduction {

/// A function that the program passed to MPI_Op_create or MPI_Op_create_c.
class UserFunction {
public:
  template <class Count>
  using Function = void(void*, void*, Count*, MPI_Datatype*);

  /// MPI calls Function<int> MPI_User_function, and Function<MPI_Count> MPI_User_function_c.
  template <class Count>
  // NOLINTNEXTLINE(google-explicit-constructor): it is the function that MPI_Op_create was given
  UserFunction(Function<Count>* function) noexcept : function_(function) {}

  /// Calls the function like MPI_Reduce_local: inout[i] becomes in[i] op inout[i], for `count` unpacked
  /// elements. If of() has returned this object, any thread may call it.
  void operator()(const void* in, void* inout, std::size_t count, MPI_Datatype type) const {
    std::visit(
        [&]<class Count>(Function<Count>* function) {
          auto number = static_cast<Count>(count);
          function(const_cast<void*>(in), inout, &number, &type);
        },
        function_);
  }

  /// From now on keep() stores functions, because the user has allowed any thread to call them.
  static void keep_all();

  /// Stores the function of an operation that MPI has just made, if keep_all() was called. Forgets an
  /// operation with the same handle, which was freed unseen by the library. Without memory, stores nothing.
  static void keep(MPI_Op op, UserFunction function) noexcept;

  /// Forgets the function of an operation that is about to be freed, since MPI may reuse the handle.
  static void forget(MPI_Op op) noexcept;

  /// Forgets all functions. Called before MPI ends.
  static void forget_all() noexcept;

  /// Returns the stored function of an operation, if any. It stays valid after the operation is freed.
  static std::optional<UserFunction> of(MPI_Op op);

private:
  std::variant<Function<int>*, Function<MPI_Count>*> function_;
};

} // namespace helper::reduction
