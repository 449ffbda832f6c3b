// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "interpose/every_function.hpp"

namespace every_function {

namespace {

/// A receive of a message of the other rank. The constructor posts it, the destructor completes it.
struct Received {
  MPI_Request request = MPI_REQUEST_NULL;
  Received() { MPI_Irecv(b, n, MPI_INT, other, 0, all, &request); }
  ~Received() { MPI_Wait(&request, ignored); }
};

void blocking_sends() {
#define SEND(name)                                                                                           \
  do {                                                                                                       \
    {                                                                                                        \
      const Received received;                                                                               \
      MPI_Barrier(all);                                                                                      \
      CALL(name)(a, n, MPI_INT, other, 0, all);                                                              \
    }                                                                                                        \
    const Received received;                                                                                 \
    MPI_Barrier(all);                                                                                        \
    CALL(name##_c)(a, n, MPI_INT, other, 0, all);                                                            \
  } while (false)
  SEND(MPI_Send);
  SEND(MPI_Ssend);
  SEND(MPI_Rsend);
  SEND(MPI_Bsend);
#define SEND_LATER(BEGIN_OR_MAKE, name)                                                                      \
  do {                                                                                                       \
    {                                                                                                        \
      const Received received;                                                                               \
      MPI_Barrier(all);                                                                                      \
      BEGIN_OR_MAKE(name, a, n, MPI_INT, other, 0, all);                                                     \
    }                                                                                                        \
    const Received received;                                                                                 \
    MPI_Barrier(all);                                                                                        \
    BEGIN_OR_MAKE(name##_c, a, n, MPI_INT, other, 0, all);                                                   \
  } while (false)
  SEND_LATER(BEGIN, MPI_Isend);
  SEND_LATER(BEGIN, MPI_Issend);
  SEND_LATER(BEGIN, MPI_Irsend);
  SEND_LATER(BEGIN, MPI_Ibsend);
  SEND_LATER(MAKE, MPI_Send_init);
  SEND_LATER(MAKE, MPI_Ssend_init);
  SEND_LATER(MAKE, MPI_Rsend_init);
  SEND_LATER(MAKE, MPI_Bsend_init);
}

void receives() {
  MPI_Message message;
  MPI_Request request;
  int flag = 0;
#define FROM_SELF(...)                                                                                       \
  do {                                                                                                       \
    MPI_Isend(a, n, MPI_INT, rank, 0, all, &request);                                                        \
    __VA_ARGS__;                                                                                             \
    MPI_Wait(&request, ignored);                                                                             \
  } while (false)
  FROM_SELF(CALL(MPI_Recv)(b, n, MPI_INT, rank, 0, all, ignored));
  FROM_SELF(CALL(MPI_Recv_c)(b, n, MPI_INT, rank, 0, all, ignored));
  FROM_SELF(BEGIN(MPI_Irecv, b, n, MPI_INT, rank, 0, all));
  FROM_SELF(BEGIN(MPI_Irecv_c, b, n, MPI_INT, rank, 0, all));
  FROM_SELF(MAKE(MPI_Recv_init, b, n, MPI_INT, rank, 0, all));
  FROM_SELF(MAKE(MPI_Recv_init_c, b, n, MPI_INT, rank, 0, all));
  FROM_SELF(CALL(MPI_Probe)(rank, 0, all, ignored); MPI_Recv(b, n, MPI_INT, rank, 0, all, ignored));
  FROM_SELF(while (CALL(MPI_Iprobe)(rank, 0, all, &flag, ignored) == MPI_SUCCESS && flag == 0);
            MPI_Recv(b, n, MPI_INT, rank, 0, all, ignored));
  FROM_SELF(CALL(MPI_Mprobe)(rank, 0, all, &message, ignored);
            CALL(MPI_Mrecv)(b, n, MPI_INT, &message, ignored));
  FROM_SELF(MPI_Mprobe(rank, 0, all, &message, ignored); CALL(MPI_Mrecv_c)(b, n, MPI_INT, &message, ignored));
  FROM_SELF(MPI_Mprobe(rank, 0, all, &message, ignored); BEGIN(MPI_Imrecv, b, n, MPI_INT, &message));
  flag = 0;
  FROM_SELF(while (CALL(MPI_Improbe)(rank, 0, all, &flag, &message, ignored) == MPI_SUCCESS && flag == 0);
            BEGIN(MPI_Imrecv_c, b, n, MPI_INT, &message));
  BOTH(MPI_Sendrecv, a, n, MPI_INT, other, 0, b, n, MPI_INT, other, 0, all, ignored);
  BOTH(MPI_Sendrecv_replace, b, n, MPI_INT, other, 0, other, 0, all, ignored);
  BEGIN_BOTH(MPI_Isendrecv, a, n, MPI_INT, other, 0, b, n, MPI_INT, other, 0, all);
  BEGIN_BOTH(MPI_Isendrecv_replace, b, n, MPI_INT, other, 0, other, 0, all);
}

void requests() {
  std::array<MPI_Request, 2> both{};
  std::array<int, 2> which{};
  int index = 0, flag = 0, count = 0;
#define TO_SELF(...)                                                                                         \
  do {                                                                                                       \
    MPI_Irecv(b, n, MPI_INT, rank, 0, all, &both[0]);                                                        \
    MPI_Isend(a, n, MPI_INT, rank, 0, all, &both[1]);                                                        \
    __VA_ARGS__;                                                                                             \
    MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE);                                                        \
  } while (false)
  TO_SELF(CALL(MPI_Wait)(&both[0], ignored));
  TO_SELF(CALL(MPI_Test)(&both[0], &flag, ignored));
  TO_SELF(CALL(MPI_Waitall)(2, both.data(), MPI_STATUSES_IGNORE));
  TO_SELF(CALL(MPI_Testall)(2, both.data(), &flag, MPI_STATUSES_IGNORE));
  TO_SELF(CALL(MPI_Waitany)(2, both.data(), &index, ignored));
  TO_SELF(CALL(MPI_Testany)(2, both.data(), &index, &flag, ignored));
  TO_SELF(CALL(MPI_Waitsome)(2, both.data(), &count, which.data(), MPI_STATUSES_IGNORE));
  TO_SELF(CALL(MPI_Testsome)(2, both.data(), &count, which.data(), MPI_STATUSES_IGNORE));
  TO_SELF(CALL(MPI_Request_get_status)(both[0], &flag, ignored));
#ifdef MPI_HELPER_MPI_4_1
  TO_SELF(CALL(MPI_Request_get_status_all)(2, both.data(), &flag, MPI_STATUSES_IGNORE));
  TO_SELF(CALL(MPI_Request_get_status_any)(2, both.data(), &index, &flag, ignored));
  TO_SELF(CALL(MPI_Request_get_status_some)(2, both.data(), &count, which.data(), MPI_STATUSES_IGNORE));
#endif
  TO_SELF(CALL(MPI_Request_free)(&both[1]));
  MPI_Irecv(b, n, MPI_INT, rank, 1, all, &both[0]);
  CALL(MPI_Cancel)(&both[0]);
  MPI_Wait(&both[0], ignored);
  MPI_Recv_init(b, n, MPI_INT, rank, 0, all, &both[0]);
  MPI_Send_init(a, n, MPI_INT, rank, 0, all, &both[1]);
  CALL(MPI_Start)(&both[0]);
  CALL(MPI_Startall)(1, &both[1]);
  MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE);
  for (MPI_Request& each : both) MPI_Request_free(&each);

  const auto query = [](void*, MPI_Status* status) { return MPI_Status_set_elements(status, MPI_INT, 0); };
  const auto free = [](void*) { return MPI_SUCCESS; };
  const auto cancel = [](void*, int) { return MPI_SUCCESS; };
  CALL(MPI_Grequest_start)(query, free, cancel, nullptr, &both[0]);
  MPI_Grequest_complete(both[0]);
  MPI_Wait(&both[0], ignored);
}

void partitioned() {
  std::array<MPI_Request, 2> both{};
  int flag = 0;
  CALL(MPI_Psend_init)(a, 2, 2, MPI_INT, rank, 0, all, MPI_INFO_NULL, &both[0]);
  CALL(MPI_Precv_init)(b, 2, 2, MPI_INT, rank, 0, all, MPI_INFO_NULL, &both[1]);
  std::array<int, 1> first{0};
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, both.data());
    if (round == 0) CALL(MPI_Pready)(0, both[0]), CALL(MPI_Pready)(1, both[0]);
    if (round == 1) CALL(MPI_Pready_range)(0, 1, both[0]);
    if (round == 2) CALL(MPI_Pready_list)(1, first.data(), both[0]), MPI_Pready(1, both[0]);
    CALL(MPI_Parrived)(both[1], 0, &flag);
    MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE);
  }
  for (MPI_Request& each : both) MPI_Request_free(&each);
}

} // namespace

void messages() {
  blocking_sends();
  receives();
  requests();
  partitioned();
}

} // namespace every_function
