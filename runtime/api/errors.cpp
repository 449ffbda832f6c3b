// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "api/errors.hpp"

#include <array>
#include <map>
#include <mutex>

#include "lifetime/never_destroyed.hpp"
#include "process/process.hpp"
#include "team/on_jump.hpp"
#include "transport/mpi_error.hpp"

namespace helper::api {

namespace {

/// MPI lets strings be given to codes of new classes only, and no code can be taken back. So each standard
/// class has a class of ours that stands for it, with a few codes whose strings are used in turn.
class Codes {
public:
  int code(int standard_class, const std::string& text) {
    const team::JumpSafe<std::lock_guard<std::mutex>> lock(mutex_);
    Class& of_class = made(standard_class);
    const int code = of_class.codes[of_class.next];
    of_class.next = (of_class.next + 1) % of_class.codes.size();
    PMPI_Add_error_string(code, text.substr(0, MPI_MAX_ERROR_STRING - 1).c_str());
    return code;
  }

  /// Returns the class that `error_class` stands for; itself if it is not one of ours.
  int standard(int error_class) {
    const std::lock_guard lock(mutex_);
    for (const auto& [standard_class, ours] : classes_) {
      if (ours.error_class == error_class) return standard_class;
    }
    return error_class;
  }

private:
  struct Class {
    int error_class = MPI_ERR_OTHER;
    std::array<int, 16> codes{};
    std::size_t next = 0;
  };

  Class& made(int standard_class) {
    const auto [place, is_new] = classes_.try_emplace(standard_class);
    Class& made = place->second;
    if (is_new) {
      PMPI_Add_error_class(&made.error_class);
      for (int& code : made.codes) PMPI_Add_error_code(made.error_class, &code);
    }
    return made;
  }

  std::mutex mutex_; // guards classes_
  std::map<int, Class> classes_;
};

Codes& codes() {
  static lifetime::NeverDestroyed<Codes> instance; // threads may report until the process ends
  return *instance;
}

} // namespace

int code(int error_class, const std::string& text) {
  return codes().code(error_class, text);
}

int report(MPI_Comm comm, int error_class, const std::string& text) {
  if (!process::running()) return error_class;
  const int code = codes().code(error_class, text);
  transport::report_to(comm, code);
  return code;
}

int error_class(int code, int* error_class) {
  const int result = PMPI_Error_class(code, error_class);
  if (result == MPI_SUCCESS) *error_class = codes().standard(*error_class);
  return result;
}

} // namespace helper::api
