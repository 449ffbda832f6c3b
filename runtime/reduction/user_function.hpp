// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <variant>

namespace helper::reduction {

/// A function of the program that it passed to MPI_Op_create or MPI_Op_create_c.
class UserFunction {
public:
  template <class Count>
  using Function = void(void*, void*, Count*, MPI_Datatype*);

  /// MPI's names for the two kinds are MPI_User_function and MPI_User_function_c.
  template <class Count>
  // NOLINTNEXTLINE(google-explicit-constructor): it is the function that MPI_Op_create was given
  UserFunction(Function<Count>* function) noexcept : function_(function) {}

  /// Calls the function like MPI_Reduce_local: each of the `count` elements at `inout` becomes the element at
  /// `in` op itself. Both are unpacked. If of() has returned this object, any thread may call it.
  void operator()(const void* in, void* inout, std::size_t count, MPI_Datatype type) const {
    std::visit(
        [&]<class Count>(Function<Count>* function) {
          auto number = static_cast<Count>(count);
          function(const_cast<void*>(in), inout, &number, &type);
        },
        function_);
  }

  /// From now on keeps functions that are passed to MPI, because any thread may call them.
  static void keep_all();

  /// Keeps the function of an operation that MPI has made, if functions are kept. It replaces a function
  /// whose operation was freed unseen by the library. If there is no memory, it keeps none.
  static void keep(MPI_Op op, UserFunction function) noexcept;

  /// Forgets the function of an operation that is about to be freed, since its handle may be reused.
  static void forget(MPI_Op op) noexcept;

  /// Forgets all functions. Called before MPI ends.
  static void forget_all() noexcept;

  /// Returns the function of an operation if it is kept, also for use after the operation is freed.
  static std::optional<UserFunction> of(MPI_Op op);

private:
  std::variant<Function<int>*, Function<MPI_Count>*> function_;
};

} // namespace helper::reduction
