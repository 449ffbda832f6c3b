// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// every_function init|init_thread - two ranks call every intercepted function, in transparent mode, for the
// record of MPI_HELPER_STATS and MPI_HELPER_TRACE. It fails if MPI has a function of
// runtime/interpose/functions.txt that is not called here. tests/observe calls those of class "observation".

#include "interpose/every_function.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace every_function;

namespace {

/// Returns the names of the intercepted functions in the list, large-count forms included.
std::set<std::string> intercepted() {
  std::set<std::string> names;
  std::ifstream list(FUNCTIONS);
  bool is_wanted = false;
  for (std::string line; std::getline(list, line);) {
    if (line.starts_with("["))
      is_wanted = line.ends_with("intercepted") && !line.starts_with("[observation]");
    if (!is_wanted || !line.starts_with("  MPI_")) continue;
    std::string name;
    std::istringstream(line) >> name;
    names.insert({name, name + "_c"});
  }
  return names;
}

bool has(const std::string& name) {
  return dlsym(RTLD_DEFAULT, ("P" + name).c_str()) != nullptr;
}

void buffer_for_sends(const auto& body) {
  std::array<char, 1 << 12> buffer{};
  void* detached = nullptr;
  int size = 0;
  MPI_Count size_c = 0;
  CALL(MPI_Buffer_attach)(buffer.data(), static_cast<int>(buffer.size()));
  body();
#ifdef MPI_HELPER_MPI_4_1
  CALL(MPI_Buffer_flush)();
  MPI_Request flushed;
  CALL(MPI_Buffer_iflush)(&flushed);
  MPI_Wait(&flushed, MPI_STATUS_IGNORE);
#endif
  CALL(MPI_Buffer_detach)(&detached, &size);
  CALL(MPI_Buffer_attach_c)(buffer.data(), static_cast<MPI_Count>(buffer.size()));
  CALL(MPI_Buffer_detach_c)(&detached, &size_c);
}

} // namespace

int main(int argc, char** argv) {
  const bool by_thread = argc > 1 && std::strcmp(argv[1], "init_thread") == 0;
  int level = 0;
  if (by_thread)
    CALL(MPI_Init_thread)(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  else
    CALL(MPI_Init)(&argc, &argv);
  called.insert(by_thread ? "MPI_Init" : "MPI_Init_thread"); // the other run calls this one
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) { // this process was started by objects()
    MPI_Comm_disconnect(&parent);
    return MPI_Finalize();
  }
  all = MPI_COMM_WORLD;
  MPI_Comm_rank(all, &rank);
  other = 1 - rank;
  buffer_for_sends(messages);
  collectives();
  objects(argv[0]);
  const bool is_first = rank == 0;
  CALL(MPI_Finalize)();
  bool is_whole = true;
  for (const std::string& name : intercepted()) {
    if (called.contains(name) || !has(name)) continue;
    is_whole = false;
    std::fprintf(stderr, "%s is intercepted, and no call of it is in tests/interpose/every_function*.cpp\n",
                 name.c_str());
  }
  if (is_first && is_whole) std::puts("all as expected");
  return 0;
}
