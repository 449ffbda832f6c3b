// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>

/// Finds out which MPI a program uses, without running it.
namespace helper::launcher {

struct Program {
  enum class Kind {
    mpi,         ///< linked to an MPI library
    static_mpi,  ///< has MPI, or all that it needs, linked into it
    interpreter, ///< of scripts: what these load is not known
    other        ///< without MPI
  };
  Kind kind = Kind::other;
  std::string path;
  std::string interpreter;  ///< of a script; empty if the program is none
  std::string mpi;          ///< soname of the MPI library
  bool has_library = false; ///< is linked to this library already
};

/// Returns the path of the file that a shell would run for this name. Throws std::system_error, ENOENT if
/// there is none.
std::string find_program(const std::string& name);

/// Looks at the program at `path`; of a script at its interpreter.
Program look_at(const std::string& path);

/// Returns whether this is the soname of an MPI library.
bool is_mpi(std::string_view soname);

/// Returns for a person which MPI has a library of this soname.
std::string name_of_mpi(std::string_view soname);

/// Which MPI's launcher has started this process, by the environment that it leaves.
enum class StartedBy { unknown, mpich, open_mpi };
StartedBy started_by();

/// Returns how many processes the launcher has started; 1 if that is not known.
int processes_started();

/// Returns whether this process prints what is to be printed once per job: the first, as the launcher counts.
bool is_first_process();

/// Prints the text after "mpi_helper: " on standard error, in the first process alone.
void say(const std::string& text);

} // namespace helper::launcher
