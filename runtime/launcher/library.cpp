// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "launcher/program.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "launcher/elf.hpp"

namespace helper::launcher {

namespace {

namespace fs = std::filesystem;

/// Returns the library in `folder`; nothing if there is none. `info`: its program for `mpi_helper info`.
std::optional<Library> library_in(const fs::path& folder, const fs::path& info) {
  for (const char* const name :
       {"libmpi_helper.so." MPI_HELPER_SOVERSION, "libmpi_helper_abi.so." MPI_HELPER_SOVERSION}) {
    const fs::path path = folder / name;
    std::error_code failed;
    if (!fs::exists(path, failed)) continue;
    const MappedFile file(path);
    const auto elf = parse_elf(file.bytes());
    if (!elf) continue;
    const auto mpi = std::ranges::find_if(elf->needed, is_mpi);
    if (mpi == elf->needed.end()) continue;
    return Library{path, *mpi, fs::exists(info, failed) ? info.string() : std::string()};
  }
  return std::nullopt;
}

} // namespace

std::vector<Library> installed_libraries() {
  // Paths are relative to this program, so the installed tree can be moved. A build folder has another tree.
  const fs::path own = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path libraries = (own / MPI_HELPER_LIBRARIES).lexically_normal();
  const fs::path programs = (own / MPI_HELPER_PROGRAMS).lexically_normal();
  std::vector<Library> found;
  const auto add = [&found](std::optional<Library> library) {
    if (library) found.push_back(*std::move(library));
  };
  add(library_in(libraries, programs / "mpi_helper" / "info"));
  const fs::path build = own.parent_path();
  if (found.empty()) add(library_in(build, build / "info" / "info"));
  std::error_code failed;
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(libraries / "mpi_helper", failed))
    others.push_back(entry.path());
  std::ranges::sort(others);
  for (const fs::path& folder : others)
    add(library_in(folder, programs / "mpi_helper" / folder.filename() / "info"));
  return found;
}

std::string describe(const std::vector<Library>& libraries) {
  std::string text;
  for (const Library& library : libraries)
    text += (text.empty() ? "" : ", ") + name_of_mpi(library.mpi) + " (" + library.mpi + ")";
  return text.empty() ? "none" : text;
}

} // namespace helper::launcher
