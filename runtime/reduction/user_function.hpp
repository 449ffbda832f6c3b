// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <variant>

namespace helper::reduction {

/// A function of the program's, as MPI_Op_create or MPI_Op_create_c was given it.
class UserFunction {
public:
  template <class Count>
  using Function = void(void*, void*, Count*, MPI_Datatype*);

  /// MPI's names for the two kinds are MPI_User_function and MPI_User_function_c.
  template <class Count>
  // NOLINTNEXTLINE(google-explicit-constructor): it is the function that MPI_Op_create was given
  UserFunction(Function<Count>* function) noexcept : function_(function) {}

  /// Calls the function as MPI_Reduce_local does: each of the `count` elements at `inout` becomes that at
  /// `in` op itself, both in the user's representation. Any thread may call it where of() has found it.
  void operator()(const void* in, void* inout, std::size_t count, MPI_Datatype type) const {
    std::visit(
        [&]<class Count>(Function<Count>* function) {
          auto number = static_cast<Count>(count);
          function(const_cast<void*>(in), inout, &number, &type);
        },
        function_);
  }

  /// From now on functions that MPI is given are kept, because any thread may call them.
  static void keep_all();

  /// Keeps the function of an operation that MPI has made, if functions are kept. It replaces a function
  /// whose operation was freed past the library. Without memory it keeps none.
  static void keep(MPI_Op op, UserFunction function) noexcept;

  /// Forgets the function of an operation that is about to be freed: then the handle may be another's.
  static void forget(MPI_Op op) noexcept;

  /// Forgets all functions. It is called before MPI ends.
  static void forget_all() noexcept;

  /// Returns the function of an operation if it is kept. What is returned remains good when the operation is
  /// freed.
  static std::optional<UserFunction> of(MPI_Op op);

private:
  std::variant<Function<int>*, Function<MPI_Count>*> function_;
};

} // namespace helper::reduction
