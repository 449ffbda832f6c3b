// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "api/errors.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string_view>

#include "lifetime/never_destroyed.hpp"
#include "process/process.hpp"
#include "ranks/mpi_error.hpp"

namespace helper::api {

namespace {

/// MPI allows error strings only for codes of new classes, and no code can be removed. So each standard class
/// has a class of this library, with a few codes that are used in rotation.
struct Codes {
  struct Class {
    int error_class = MPI_ERR_OTHER;
    std::array<int, 16> codes{};
    std::size_t next = 0;
  };

  std::mutex mutex; // guards what follows
  std::map<int, Class> classes;
};

constexpr auto& codes = lifetime::sole<Codes>; // threads may report until the process ends

/// Returns the beginning of the text that fits an error string, cut between words.
std::string cut(const std::string& text) {
  constexpr std::string_view rest = " ...";
  if (text.size() < MPI_MAX_ERROR_STRING) return text;
  return text.substr(0, text.rfind(' ', MPI_MAX_ERROR_STRING - 1 - rest.size())).append(rest);
}

} // namespace

int code(int error_class, const std::string& text) {
  Codes& all = codes();
  const std::lock_guard lock(all.mutex);
  const auto [place, is_new] = all.classes.try_emplace(error_class);
  Codes::Class& ours = place->second;
  if (is_new) {
    PMPI_Add_error_class(&ours.error_class);
    for (int& code : ours.codes) PMPI_Add_error_code(ours.error_class, &code);
  }
  const int code = ours.codes[ours.next];
  ours.next = (ours.next + 1) % ours.codes.size();
  PMPI_Add_error_string(code, cut(text).c_str());
  return code;
}

int report(MPI_Comm comm, int error_class, const std::string& text) {
  if (!process::running()) return error_class;
  const int made = code(error_class, text);
  ranks::report_to(comm, made);
  return made;
}

int error_class(int code, int* error_class) {
  const int result = PMPI_Error_class(code, error_class);
  if (result != MPI_SUCCESS) return result;
  const std::lock_guard lock(codes().mutex);
  const auto found = std::ranges::find_if(
      codes().classes, [&](const auto& entry) { return entry.second.error_class == *error_class; });
  if (found != codes().classes.end()) *error_class = found->first; // otherwise the class is not the library's
  return result;
}

} // namespace helper::api
