// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "interpose/every_function.hpp"

namespace every_function {

namespace {

const MPI_Info none = MPI_INFO_NULL;

void local() {
  std::array<char, 256> packed{};
  int position = 0;
  CALL(MPI_Pack)(a, n, MPI_INT, packed.data(), 256, &position, all);
  position = 0;
  CALL(MPI_Unpack)(packed.data(), 256, &position, b, n, MPI_INT, all);
  MPI_Aint at = 0;
  CALL(MPI_Pack_external)("external32", a, n, MPI_INT, packed.data(), 256, &at);
  at = 0;
  CALL(MPI_Unpack_external)("external32", packed.data(), 256, &at, b, n, MPI_INT);
  MPI_Count at_c = 0;
  CALL(MPI_Pack_c)(a, n, MPI_INT, packed.data(), 256, &at_c, all);
  at_c = 0;
  CALL(MPI_Unpack_c)(packed.data(), 256, &at_c, b, n, MPI_INT, all);
  at_c = 0;
  CALL(MPI_Pack_external_c)("external32", a, n, MPI_INT, packed.data(), 256, &at_c);
  at_c = 0;
  CALL(MPI_Unpack_external_c)("external32", packed.data(), 256, &at_c, b, n, MPI_INT);
  BOTH(MPI_Reduce_local, a, b, n, MPI_INT, MPI_SUM);

  void* memory = nullptr;
  CALL(MPI_Alloc_mem)(64, none, &memory);
  CALL(MPI_Free_mem)(memory);
  MPI_Op op = MPI_OP_NULL;
  CALL(MPI_Op_create)([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
  CALL(MPI_Op_free)(&op);
  CALL(MPI_Op_create_c)([](void*, void*, MPI_Count*, MPI_Datatype*) {}, 1, &op);
  MPI_Op_free(&op);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  CALL(MPI_Type_commit)(&type);
  CALL(MPI_Type_free)(&type);
  int error_class = 0;
  CALL(MPI_Error_class)(MPI_ERR_ARG, &error_class);
}

void of_comm(MPI_Comm*, int*, ...) {}
void of_win(MPI_Win*, int*, ...) {}
void of_file(MPI_File*, int*, ...) {}
void of_session(MPI_Session*, int*, ...) {}

void error_handlers() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  CALL(MPI_Comm_create_errhandler)(of_comm, &handler);
  CALL(MPI_Win_create_errhandler)(of_win, &handler);
  CALL(MPI_File_create_errhandler)(of_file, &handler);
  CALL(MPI_Session_create_errhandler)(of_session, &handler);
  CALL(MPI_Errhandler_create)(of_comm, &handler);
}

void communicators() {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(all, &group);
  const auto free = [&] { CALL(MPI_Comm_free)(&made); };
  CALL(MPI_Comm_dup)(all, &made), free();
  CALL(MPI_Comm_dup_with_info)(all, none, &made), free();
  BEGIN(MPI_Comm_idup, all, &made);
  free();
  BEGIN(MPI_Comm_idup_with_info, all, none, &made);
  free();
  CALL(MPI_Comm_create)(all, group, &made), free();
  CALL(MPI_Comm_create_group)(all, group, 0, &made), free();
  CALL(MPI_Comm_create_from_group)(group, "two", none, MPI_ERRORS_ARE_FATAL, &made), free();
  CALL(MPI_Comm_split)(all, 0, rank, &made), free();
  CALL(MPI_Comm_split_type)(all, MPI_COMM_TYPE_SHARED, 0, none, &made), free();
  CALL(MPI_Intercomm_create)(MPI_COMM_SELF, 0, all, other, 0, &made);
  CALL(MPI_Intercomm_merge)(made, rank, &second);
  MPI_Comm_free(&second), free();
  MPI_Group own = MPI_GROUP_NULL, others = MPI_GROUP_NULL;
  MPI_Group_incl(group, 1, &rank, &own);
  MPI_Group_incl(group, 1, &other, &others);
  CALL(MPI_Intercomm_create_from_groups)
  (own, 0, others, 0, "pair", none, MPI_ERRORS_ARE_FATAL, &made), free();
  for (MPI_Group* each : {&own, &others, &group}) MPI_Group_free(each);

  constexpr std::array<int, 2> ends{1, 2}, edges{1, 0};
  constexpr int one = 1;
  CALL(MPI_Graph_create)(all, 2, ends.data(), edges.data(), 0, &made), free();
  CALL(MPI_Dist_graph_create)(all, 1, &rank, &one, &other, MPI_UNWEIGHTED, none, 0, &made), free();
  CALL(MPI_Dist_graph_create_adjacent)
  (all, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, none, 0, &made), free();
}

/// Returns a socket that is connected to the other rank.
int socket_to_other() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const named = reinterpret_cast<sockaddr*>(&address);
  const int own = socket(AF_INET, SOCK_STREAM, 0);
  if (rank == 0) {
    static_cast<void>(bind(own, named, size));
    listen(own, 1);
    getsockname(own, named, &size);
  }
  MPI_Bcast(&address.sin_port, sizeof address.sin_port, MPI_BYTE, 0, all);
  if (rank == 0) return accept(own, nullptr, nullptr);
  static_cast<void>(connect(own, named, size));
  return own;
}

/// Connects to the other rank as if that belonged to another job.
void meet_by_port(const char* port) {
  MPI_Comm made = MPI_COMM_NULL;
  if (rank == 0)
    CALL(MPI_Comm_accept)(port, none, 0, MPI_COMM_SELF, &made);
  else
    CALL(MPI_Comm_connect)(port, none, 0, MPI_COMM_SELF, &made);
  CALL(MPI_Comm_disconnect)(&made);
  const int socket = socket_to_other();
  CALL(MPI_Comm_join)(socket, &made);
  if (made != MPI_COMM_NULL) MPI_Comm_disconnect(&made);
  close(socket);
}

/// Connects to a port and spawns processes. On some networks MPICH can do neither, and returns errors.
void other_processes(const char* program) {
  for (const char* name : {"MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_disconnect", "MPI_Comm_join"})
    called.insert(name); // perhaps no rank calls it, or only one
  MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  std::array<char, MPI_MAX_PORT_NAME> port{};
  int has_port = rank == 0 && MPI_Open_port(none, port.data()) == MPI_SUCCESS ? 1 : 0;
  MPI_Bcast(&has_port, 1, MPI_INT, 0, all);
  MPI_Bcast(port.data(), MPI_MAX_PORT_NAME, MPI_CHAR, 0, all);
  if (has_port != 0) meet_by_port(port.data());
  if (has_port != 0 && rank == 0) MPI_Close_port(port.data());
  MPI_Comm made = MPI_COMM_NULL;
  const auto leave = [&](int code) {
    if (code == MPI_SUCCESS) MPI_Comm_disconnect(&made);
  };
  std::array<char*, 1> programs{const_cast<char*>(program)};
  constexpr std::array<int, 1> processes{1};
  const std::array<MPI_Info, 1> infos{none};
  leave(CALL(MPI_Comm_spawn)(program, MPI_ARGV_NULL, 1, none, 0, all, &made, MPI_ERRCODES_IGNORE));
  leave(CALL(MPI_Comm_spawn_multiple)(1, programs.data(), MPI_ARGVS_NULL, processes.data(), infos.data(), 0,
                                      all, &made, MPI_ERRCODES_IGNORE));
  MPI_Comm_set_errhandler(all, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

void file_access(MPI_File file) {
  const auto back = [&] { MPI_File_seek_shared(file, 0, MPI_SEEK_SET); };
  BOTH(MPI_File_write, file, a, n, MPI_INT, ignored);
  BOTH(MPI_File_write_at, file, 0, a, n, MPI_INT, ignored);
  BOTH(MPI_File_write_shared, file, a, n, MPI_INT, ignored);
  BOTH(MPI_File_write_all, file, a, n, MPI_INT, ignored);
  BOTH(MPI_File_write_at_all, file, 0, a, n, MPI_INT, ignored);
  BOTH(MPI_File_write_ordered, file, a, n, MPI_INT, ignored);
  CALL(MPI_File_seek_shared)(file, 0, MPI_SEEK_SET);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  BOTH(MPI_File_read, file, b, n, MPI_INT, ignored);
  BOTH(MPI_File_read_at, file, 0, b, n, MPI_INT, ignored);
  BOTH(MPI_File_read_shared, file, b, n, MPI_INT, ignored);
  BOTH(MPI_File_read_all, file, b, n, MPI_INT, ignored);
  BOTH(MPI_File_read_at_all, file, 0, b, n, MPI_INT, ignored);
  BOTH(MPI_File_read_ordered, file, b, n, MPI_INT, ignored);
#define IN_TWO(name, ...)                                                                                    \
  do {                                                                                                       \
    back();                                                                                                  \
    CALL(name##_begin)(__VA_ARGS__, n, MPI_INT);                                                             \
    CALL(name##_end)(file, b, ignored);                                                                      \
    back();                                                                                                  \
    CALL(name##_begin_c)(__VA_ARGS__, n, MPI_INT);                                                           \
    CALL(name##_end)(file, b, ignored);                                                                      \
  } while (false)
  IN_TWO(MPI_File_write_all, file, b);
  IN_TWO(MPI_File_write_at_all, file, 0, b);
  IN_TWO(MPI_File_write_ordered, file, b);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  IN_TWO(MPI_File_read_all, file, b);
  IN_TWO(MPI_File_read_at_all, file, 0, b);
  IN_TWO(MPI_File_read_ordered, file, b);
  back();
  BEGIN_BOTH(MPI_File_iwrite, file, a, n, MPI_INT);
  BEGIN_BOTH(MPI_File_iwrite_all, file, a, n, MPI_INT);
  BEGIN_BOTH(MPI_File_iwrite_at, file, 0, a, n, MPI_INT);
  BEGIN_BOTH(MPI_File_iwrite_at_all, file, 0, a, n, MPI_INT);
  BEGIN_BOTH(MPI_File_iwrite_shared, file, a, n, MPI_INT);
  back();
  BEGIN_BOTH(MPI_File_iread, file, b, n, MPI_INT);
  BEGIN_BOTH(MPI_File_iread_all, file, b, n, MPI_INT);
  BEGIN_BOTH(MPI_File_iread_at, file, 0, b, n, MPI_INT);
  BEGIN_BOTH(MPI_File_iread_at_all, file, 0, b, n, MPI_INT);
  BEGIN_BOTH(MPI_File_iread_shared, file, b, n, MPI_INT);
}

void files() {
  std::array<char, 64> name{"/tmp/every_function_XXXXXX"};
  if (rank == 0) close(mkstemp(name.data()));
  MPI_Bcast(name.data(), 64, MPI_CHAR, 0, all);
  MPI_File file = MPI_FILE_NULL;
  CALL(MPI_File_open)
  (all, name.data(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, none, &file);
  CALL(MPI_File_set_view)(file, 0, MPI_INT, MPI_INT, "native", none);
  CALL(MPI_File_set_size)(file, 256);
  CALL(MPI_File_preallocate)(file, 256);
  CALL(MPI_File_set_atomicity)(file, 0);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  CALL(MPI_File_set_info)(file, info);
  MPI_Info_free(&info);
  CALL(MPI_File_sync)(file);
  file_access(file);
  CALL(MPI_File_close)(&file);
}

/// Calls the functions that access a window, with passive-target synchronisation.
void one_sided(MPI_Win window) {
  CALL(MPI_Win_lock)(MPI_LOCK_SHARED, other, 0, window);
  BOTH(MPI_Put, a, 1, MPI_INT, other, 0, 1, MPI_INT, window);
  BOTH(MPI_Get, b, 1, MPI_INT, other, 0, 1, MPI_INT, window);
  BOTH(MPI_Accumulate, a, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, window);
  BOTH(MPI_Get_accumulate, a, 1, MPI_INT, b, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, window);
  CALL(MPI_Fetch_and_op)(a, b, MPI_INT, other, 0, MPI_SUM, window);
  CALL(MPI_Compare_and_swap)(a, a, b, MPI_INT, other, 0, window);
  BEGIN_BOTH(MPI_Rput, a, 1, MPI_INT, other, 0, 1, MPI_INT, window);
  BEGIN_BOTH(MPI_Rget, b, 1, MPI_INT, other, 0, 1, MPI_INT, window);
  BEGIN_BOTH(MPI_Raccumulate, a, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, window);
  BEGIN_BOTH(MPI_Rget_accumulate, a, 1, MPI_INT, b, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, window);
  CALL(MPI_Win_flush)(other, window);
  CALL(MPI_Win_flush_local)(other, window);
  CALL(MPI_Win_flush_all)(window);
  CALL(MPI_Win_flush_local_all)(window);
  CALL(MPI_Win_unlock)(other, window);
  CALL(MPI_Win_lock_all)(0, window);
  CALL(MPI_Win_unlock_all)(window);
}

void windows() {
  MPI_Win window = MPI_WIN_NULL;
  void* memory = nullptr;
  const auto free = [&] { CALL(MPI_Win_free)(&window); };
  CALL(MPI_Win_create_c)(b, 64, 1, none, all, &window), free();
  CALL(MPI_Win_allocate)(64, 1, none, all, &memory, &window), free();
  CALL(MPI_Win_allocate_c)(64, 1, none, all, &memory, &window), free();
  MPI_Comm near = MPI_COMM_NULL; // MPICH 5.0.2 may take each rank for a node
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  CALL(MPI_Win_allocate_shared)(64, 1, none, near, &memory, &window), free();
  CALL(MPI_Win_allocate_shared_c)(64, 1, none, near, &memory, &window), free();
  MPI_Comm_free(&near);
  CALL(MPI_Win_create_dynamic)(none, all, &window), free();
  CALL(MPI_Win_create)(in.data(), 64, 1, none, all, &window);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  CALL(MPI_Win_set_info)(window, info);
  MPI_Info_free(&info);
  CALL(MPI_Win_fence)(0, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  one_sided(window);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(all, &group);
  MPI_Win_post(group, 0, window);
  CALL(MPI_Win_start)(group, 0, window);
  CALL(MPI_Win_complete)(window);
  CALL(MPI_Win_wait)(window);
  MPI_Win_post(group, 0, window);
  MPI_Win_start(group, 0, window);
  MPI_Win_complete(window);
  for (int is_over = 0; is_over == 0;) CALL(MPI_Win_test)(window, &is_over);
  MPI_Group_free(&group);
  free();
}

void sessions() {
  MPI_Session session = MPI_SESSION_NULL;
  CALL(MPI_Session_init)(none, MPI_ERRORS_ARE_FATAL, &session);
  CALL(MPI_Session_finalize)(&session);
}

#ifdef MPI_HELPER_MPI_4_1
void buffers() {
  std::array<char, 1 << 12> buffer{};
  void* detached = nullptr;
  int size = 0;
  MPI_Count size_c = 0;
  CALL(MPI_Comm_attach_buffer)(all, buffer.data(), 1 << 12);
  CALL(MPI_Comm_flush_buffer)(all);
  BEGIN(MPI_Comm_iflush_buffer, all);
  CALL(MPI_Comm_detach_buffer)(all, &detached, &size);
  CALL(MPI_Comm_attach_buffer_c)(all, buffer.data(), 1 << 12);
  CALL(MPI_Comm_detach_buffer_c)(all, &detached, &size_c);
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Session_init(none, MPI_ERRORS_ARE_FATAL, &session);
  CALL(MPI_Session_attach_buffer)(session, buffer.data(), 1 << 12);
  CALL(MPI_Session_flush_buffer)(session);
  BEGIN(MPI_Session_iflush_buffer, session);
  CALL(MPI_Session_detach_buffer)(session, &detached, &size);
  CALL(MPI_Session_attach_buffer_c)(session, buffer.data(), 1 << 12);
  CALL(MPI_Session_detach_buffer_c)(session, &detached, &size_c);
  MPI_Session_finalize(&session);
}
#endif

} // namespace

void objects(const char* program) {
  local();
  error_handlers();
  communicators();
  other_processes(program);
  files();
  windows();
  sessions();
#ifdef MPI_HELPER_MPI_4_1
  buffers();
#endif
}

} // namespace every_function
