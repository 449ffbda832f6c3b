// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "launcher/elf.hpp"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <system_error>

namespace helper::launcher {

namespace {

/// Copies a T out of the bytes, which may end too early or be unaligned.
template <class T>
std::optional<T> read_at(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Returns the text up to the next null character.
std::string text_at(std::string_view bytes, std::size_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

std::vector<Elf64_Phdr> segments_of(std::string_view bytes, const Elf64_Ehdr& header) {
  std::vector<Elf64_Phdr> segments;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = read_at<Elf64_Phdr>(bytes, header.e_phoff + i * header.e_phentsize);
    if (segment) segments.push_back(*segment);
  }
  return segments;
}

/// Returns the offset in the file of the bytes that are loaded at an address.
std::size_t offset_of(const std::vector<Elf64_Phdr>& segments, Elf64_Addr address) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  }
  return std::string_view::npos;
}

/// Adds the contents of the dynamic section at `offset`.
void read_dynamic(std::string_view bytes, std::size_t offset, const std::vector<Elf64_Phdr>& segments,
                  Elf& elf) {
  std::vector<Elf64_Dyn> entries;
  std::size_t texts = std::string_view::npos;
  while (const auto entry = read_at<Elf64_Dyn>(bytes, offset)) {
    if (entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_STRTAB) texts = offset_of(segments, entry->d_un.d_ptr);
    entries.push_back(*entry);
    offset += sizeof(Elf64_Dyn);
  }
  if (texts == std::string_view::npos) return;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NEEDED) elf.needed.push_back(text_at(bytes, texts + entry.d_un.d_val));
    if (entry.d_tag == DT_SONAME) elf.soname = text_at(bytes, texts + entry.d_un.d_val);
  }
}

} // namespace

MappedFile::MappedFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat state {};
  void* at = nullptr;
  if (file >= 0 && fstat(file, &state) == 0 && state.st_size > 0)
    at = mmap(nullptr, static_cast<std::size_t>(state.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  if (file >= 0) close(file);
  if (file < 0 || at == MAP_FAILED) throw std::system_error(error, std::generic_category(), path);
  if (at != nullptr) bytes_ = {static_cast<const char*>(at), static_cast<std::size_t>(state.st_size)};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

std::optional<Elf> parse_elf(std::string_view bytes) {
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  constexpr auto own_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (!header || !bytes.starts_with(ELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != own_order)
    return std::nullopt;
  Elf elf;
  const auto segments = segments_of(bytes, *header);
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_INTERP) elf.linker = text_at(bytes, segment.p_offset);
    if (segment.p_type == PT_DYNAMIC) read_dynamic(bytes, segment.p_offset, segments, elf);
  }
  return elf;
}

std::string output_of(const std::vector<std::string>& command, bool with_errors) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::vector<char*> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("LD_PRELOAD=")) environment.push_back(*entry);
  }
  environment.push_back(nullptr);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (with_errors)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  else
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t count = 0; (count = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(count));
  close(ends[0]);
  if (error == 0) waitpid(child, nullptr, 0);
  return text;
}

std::vector<Dependency> dependencies(const Elf& program, const std::string& path) {
  std::vector<Dependency> found;
  std::istringstream lines(output_of({program.linker, "--list", path}, false));
  // Forms of a line: "name => path (address)", "name => not found", or "path (address)".
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Dependency dependency;
    std::string arrow;
    words >> dependency.name >> arrow >> dependency.path;
    if (arrow != "=>") dependency.path = dependency.name;
    if (dependency.path == "not") dependency.path.clear();
    found.push_back(dependency);
  }
  return found;
}

} // namespace helper::launcher
