// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Finds out which MPI a program uses, without running it, and which libraries are installed.
namespace helper::launcher {

struct Program {
  enum class Kind {
    mpi,         ///< dynamically linked to an MPI library
    static_mpi,  ///< linked to a static MPI, or linked statically as a whole
    interpreter, ///< of scripts: it is unknown what scripts load
    other        ///< without MPI
  };
  Kind kind = Kind::other;
  std::string path;
  std::string interpreter;  ///< of a script; empty if the program is no script
  std::string mpi;          ///< soname of its MPI library
  bool has_library = false; ///< whether it is linked to this library already
};

/// Returns the path of the file that a shell would execute for this name. Throws std::system_error, ENOENT if
/// there is none.
std::string find_program(const std::string& name);

/// Inspects the program at `path`. If it is a script, inspects its interpreter as well.
Program look_at(const std::string& path);

/// Returns whether this is the soname of an MPI library.
bool is_mpi(std::string_view soname);

/// Returns the name of the MPI whose library has this soname.
std::string name_of_mpi(std::string_view soname);

/// The library, built for one MPI, as installed with the launcher.
struct Library {
  std::string path;
  std::string mpi;  ///< soname of the MPI library that it is linked to
  std::string info; ///< path of the program that `mpi_helper info` executes; empty if not installed
};

/// Returns the installed libraries: first this build's, then those for other MPIs.
std::vector<Library> installed_libraries();

/// Returns a text that names the MPIs for which a library is installed.
std::string describe(const std::vector<Library>& libraries);

/// The MPI whose launcher has started this process, according to the environment.
enum class StartedBy { unknown, mpich, open_mpi };
StartedBy started_by();

/// Returns the number of processes that the launcher has started; 1 if unknown.
int processes_started();

/// Returns whether this process is the first of the job, which prints what is printed once per job.
bool is_first_process();

/// Prints the text after "mpi_helper: " on standard error, only in the first process.
void say(const std::string& text);

} // namespace helper::launcher
