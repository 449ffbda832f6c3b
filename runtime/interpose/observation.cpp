// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// In MPI's tool interface the library's variables follow MPI's. Calls about MPI's variables go to MPI
// unchanged, except for the index.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "observe/numbering.hpp"
#include "observe/performance.hpp"
#include "process/process.hpp"
#include "settings/settings.hpp"

namespace {

using namespace helper;
using namespace helper::observe;

constexpr const char* category_name = "mpi_helper";
constexpr const char* category_description =
    "MPI Helper Teams: settings, and what the teams of this process did";

// Stores `value`, unless `where` is a null pointer: then the caller asks for nothing.
template <class Value>
void give(std::type_identity_t<Value> value, Value* where) noexcept {
  if (where != nullptr) *where = value;
}

/// Copies as much of the text as fits into `buffer`, of `*length` characters, with a terminating null
/// character. Stores the length that the whole text needs.
void give(std::string_view text, char* buffer, int* length) noexcept {
  if (length == nullptr) return;
  if (buffer != nullptr && *length > 0) {
    const std::size_t given = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(buffer, text.data(), given);
    buffer[given] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

/// The length of a control variable in characters: that of the longest path, since some are paths.
constexpr int longest_text = 4096;

/// Returns "mpi_helper_threads" for MPI_HELPER_THREADS.
std::string control_name(const settings::Variable& variable) {
  std::string name = variable.name;
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return name;
}

std::optional<int> find_control(const char* name) {
  if (name == nullptr) return std::nullopt;
  const auto all = settings::variables();
  const auto found = std::ranges::find(all, name, control_name) - all.begin();
  return found != std::ssize(all) ? std::optional(static_cast<int>(found)) : std::nullopt;
}

/// Returns the address of the setting. No handle of MPI has this value, so no table of handles is needed.
MPI_T_cvar_handle handle_of(const settings::Variable& variable) noexcept {
  return reinterpret_cast<MPI_T_cvar_handle>(const_cast<settings::Variable*>(&variable));
}

/// Returns the setting of a handle, or nullptr if the handle is MPI's.
const settings::Variable* control_of(MPI_T_cvar_handle handle) noexcept {
  const auto all = settings::variables();
  const auto found = std::ranges::find(all, handle, handle_of);
  return found != all.end() ? &*found : nullptr;
}

/// Returns `act()`, or a code if memory is lacking. Functions of the tool interface call no error handler.
template <class Act>
int guarded(const Act& act) noexcept {
  try {
    return act();
  } catch (const std::bad_alloc&) {
    return MPI_T_ERR_MEMORY;
  }
}

/// Implements MPI_T_X_get_index: gives the index of the library's variable `own`, or asks `find_native`.
template <class FindNative>
int find_index(std::optional<int> own, Numbering& numbering, int* index, const FindNative& find_native) {
  if (own && is_initialised()) {
    give(numbering.index_of_own(*own), index);
    return MPI_SUCCESS;
  }
  const int code = find_native();
  if (code == MPI_SUCCESS) give(numbering.index_of_native(*index), index);
  return code;
}

/// Stores the number of MPI's and the library's variables together.
template <auto Native, auto numbering>
int counted_with(int* number) {
  return numbering().count(number);
}

// The kinds of contents of a category.
constexpr std::size_t controls = 0;
constexpr std::size_t performance = 1;
constexpr std::size_t subcategories = 2;

/// Lists the contents of one kind that a category has.
template <auto Native, std::size_t kind>
int contents(int category, int length, int* indices) {
  Numbering& numbering = kind == controls      ? control_variables()
                         : kind == performance ? performance_variables()
                                               : categories();
  const auto [is_own, index] = categories().find(category);
  if (is_own) {
    const int own = kind == subcategories ? 0 : numbering.own();
    for (int i = 0; i < std::min(length, own); ++i) indices[i] = numbering.index_of_own(i);
    return MPI_SUCCESS;
  }
  std::array<int, 3> counts{}; // in MPI's category, by kind
  const int code = Native(index, length, indices);
  if (code != MPI_SUCCESS) return code;
  PMPI_T_category_get_info(index, nullptr, nullptr, nullptr, nullptr, &counts[controls], &counts[performance],
                           &counts[subcategories]);
  for (int i = 0; i < std::min(length, counts[kind]); ++i) indices[i] = numbering.index_of_native(indices[i]);
  return code;
}

/// Returns `refusal` for a handle of the library. Its variables cannot be started, stopped, written or reset.
template <auto Native, int refusal, class... Buffer>
int refused(MPI_T_pvar_session session, MPI_T_pvar_handle handle, Buffer... buffer) noexcept {
  const bool is_own = statistic_of(handle) != nullptr && is_initialised();
  return is_own ? refusal : Native(session, handle, buffer...);
}

} // namespace

#include "interpose/observation.inc"

extern "C" {

int MPI_T_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype,
                        MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope) {
  const auto [is_own, index] = control_variables().find(cvar_index);
  if (!is_own)
    return PMPI_T_cvar_get_info(index, name, name_len, verbosity, datatype, enumtype, desc, desc_len, bind,
                                scope);
  return guarded([&, own = index] {
    const auto& variable = settings::variables()[static_cast<std::size_t>(own)];
    give(control_name(variable), name, name_len);
    give(MPI_T_VERBOSITY_USER_BASIC, verbosity);
    give(MPI_CHAR, datatype);
    give(MPI_T_ENUM_NULL, enumtype);
    give(std::string(variable.name) + ": " + variable.meaning + " (" + variable.unit + ")", desc, desc_len);
    give(MPI_T_BIND_NO_OBJECT, bind);
    give(MPI_T_SCOPE_READONLY, scope); // the value is fixed at MPI_Init
    return MPI_SUCCESS;
  });
}

int MPI_T_cvar_get_index(const char* name, int* cvar_index) {
  return guarded([&] {
    return find_index(find_control(name), control_variables(), cvar_index,
                      [&] { return PMPI_T_cvar_get_index(name, cvar_index); });
  });
}

int MPI_T_cvar_handle_alloc(int cvar_index, void* obj_handle, MPI_T_cvar_handle* handle, int* count) {
  const auto [is_own, index] = control_variables().find(cvar_index);
  if (!is_own) return PMPI_T_cvar_handle_alloc(index, obj_handle, handle, count);
  give(handle_of(settings::variables()[static_cast<std::size_t>(index)]), handle);
  give(longest_text, count);
  return MPI_SUCCESS;
}

int MPI_T_cvar_handle_free(MPI_T_cvar_handle* handle) {
  if (handle == nullptr || control_of(*handle) == nullptr || !is_initialised())
    return PMPI_T_cvar_handle_free(handle);
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int MPI_T_cvar_read(MPI_T_cvar_handle handle, void* buf) {
  const settings::Variable* const own = control_of(handle);
  if (own == nullptr || !is_initialised()) return PMPI_T_cvar_read(handle, buf);
  return guarded([&] {
    int length = longest_text;
    give(process::setting(*own), static_cast<char*>(buf), &length);
    return MPI_SUCCESS;
  });
}

int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void* buf) {
  if (control_of(handle) == nullptr || !is_initialised()) return PMPI_T_cvar_write(handle, buf);
  return MPI_T_ERR_CVAR_SET_NEVER;
}

int MPI_T_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                        MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind,
                        int* readonly, int* continuous, int* atomic) {
  const auto [is_own, index] = performance_variables().find(pvar_index);
  if (!is_own)
    return PMPI_T_pvar_get_info(index, name, name_len, verbosity, var_class, datatype, enumtype, desc,
                                desc_len, bind, readonly, continuous, atomic);
  return guarded([&, own = index] {
    const Statistic& statistic = statistics()[static_cast<std::size_t>(own)];
    give(statistic.name(), name, name_len);
    give(statistic.function == nullptr ? MPI_T_VERBOSITY_USER_BASIC : MPI_T_VERBOSITY_USER_DETAIL, verbosity);
    give(statistic.quantity->variable_class, var_class);
    give(statistic.quantity->datatype(), datatype);
    give(MPI_T_ENUM_NULL, enumtype);
    give(statistic.description(), desc, desc_len);
    give(MPI_T_BIND_NO_OBJECT, bind);
    give(1, readonly);
    give(1, continuous);
    give(0, atomic);
    return MPI_SUCCESS;
  });
}

int MPI_T_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  return guarded([&] {
    return find_index(find_statistic(name, var_class), performance_variables(), pvar_index,
                      [&] { return PMPI_T_pvar_get_index(name, var_class, pvar_index); });
  });
}

int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void* obj_handle,
                            MPI_T_pvar_handle* handle, int* count) {
  const auto [is_own, index] = performance_variables().find(pvar_index);
  if (!is_own) return PMPI_T_pvar_handle_alloc(session, index, obj_handle, handle, count);
  if (session == MPI_T_PVAR_SESSION_NULL) return MPI_T_ERR_INVALID_SESSION;
  return guarded([&, own = index] {
    *handle = allocate(statistics()[static_cast<std::size_t>(own)]);
    give(1, count);
    return MPI_SUCCESS;
  });
}

int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  if (handle == nullptr || statistic_of(*handle) == nullptr || !is_initialised())
    return PMPI_T_pvar_handle_free(session, handle);
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  const Statistic* const own = statistic_of(handle);
  if (own == nullptr || !is_initialised()) return PMPI_T_pvar_read(session, handle, buf);
  own->read(buf);
  return MPI_SUCCESS;
}

int MPI_T_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len,
                            int* num_cvars, int* num_pvars, int* num_categories) {
  const auto [is_own, index] = categories().find(cat_index);
  if (!is_own)
    return PMPI_T_category_get_info(index, name, name_len, desc, desc_len, num_cvars, num_pvars,
                                    num_categories);
  give(category_name, name, name_len);
  give(category_description, desc, desc_len);
  give(control_variables().own(), num_cvars);
  give(performance_variables().own(), num_pvars);
  give(0, num_categories);
  return MPI_SUCCESS;
}

int MPI_T_category_get_index(const char* name, int* cat_index) {
  const bool is_own = name != nullptr && std::string_view(name) == category_name;
  return find_index(is_own ? std::optional(0) : std::nullopt, categories(), cat_index,
                    [&] { return PMPI_T_category_get_index(name, cat_index); });
}

#if MPI_VERSION >= 4 // the library has no events

int MPI_T_category_get_num_events(int cat_index, int* num_events) {
  const auto [is_own, index] = categories().find(cat_index);
  if (!is_own) return PMPI_T_category_get_num_events(index, num_events);
  give(0, num_events);
  return MPI_SUCCESS;
}

int MPI_T_category_get_events(int cat_index, int len, int indices[]) {
  const auto [is_own, index] = categories().find(cat_index);
  return is_own ? MPI_SUCCESS : PMPI_T_category_get_events(index, len, indices);
}

#endif

} // extern "C"
