// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reads the parts of an executable or a shared library that the dynamic linker reads.
namespace helper::launcher {

/// A file, mapped for reading.
class MappedFile {
public:
  /// Throws std::system_error if it cannot be read.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const noexcept { return bytes_; }

private:
  std::string_view bytes_;
};

struct Elf {
  std::string linker;              ///< path of its dynamic linker; empty if it has none
  std::string soname;              ///< empty if it has none
  std::vector<std::string> needed; ///< sonames of the libraries that it is linked to
};

/// Returns the description of a 64-bit ELF file of this machine's byte order; nothing for any other file.
std::optional<Elf> parse_elf(std::string_view bytes);

struct Dependency {
  std::string name; ///< as in the file that needs it
  std::string path; ///< of the file that the dynamic linker loads; empty if it finds none
};

/// Returns all libraries that the dynamic linker would load for the program at `path`, including indirect
/// ones, but without LD_PRELOAD. Asks the program's dynamic linker, which does not run the program.
std::vector<Dependency> dependencies(const Elf& program, const std::string& path);

/// Runs a command and returns its standard output; with `with_errors` also its standard error, which is
/// discarded otherwise.
std::string output_of(const std::vector<std::string>& command, bool with_errors);

} // namespace helper::launcher
