// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "task.hpp"
#include "types.hpp"

#include <mpi_helper.h>

#include <cstring>
#include <thread>

namespace bench {
namespace {

Call message(const TypeFamily& family, std::size_t bytes, bool exchange) {
  constexpr int tag = 1;
  const auto elements = std::make_shared<const Elements>(family.make(bytes));
  const auto sent = std::make_shared<Bytes>(elements->buffer_bytes());
  const auto received = std::make_shared<Bytes>(sent->size());
  const int rank = own_rank();
  const auto call = [=](bool native) {
    if (rank > 1) return;
    const int count = elements->count();
    const MPI_Datatype type = elements->type();
    if (exchange) {
      MPI_Request requests[2];
      MPI_Status statuses[2];
      (native ? PMPI_Irecv : MPI_Irecv)(received->data(), count, type, 1 - rank, tag, MPI_COMM_WORLD,
                                        &requests[0]);
      (native ? PMPI_Isend : MPI_Isend)(sent->data(), count, type, 1 - rank, tag, MPI_COMM_WORLD,
                                        &requests[1]);
      (native ? PMPI_Waitall : MPI_Waitall)(2, requests, statuses);
    } else if (rank == 0) {
      (native ? PMPI_Send : MPI_Send)(sent->data(), count, type, 1, tag, MPI_COMM_WORLD);
    } else {
      (native ? PMPI_Recv : MPI_Recv)(received->data(), count, type, 0, tag, MPI_COMM_WORLD,
                                      MPI_STATUS_IGNORE);
    }
  };
  const auto reset = [=] {
    fill_bytes(*sent, rank);
    received->assign(received->size(), std::byte{0});
  };
  return {elements->packed_bytes(), call, reset, received};
}

/// Sleeps for the time that bytes take on a core with private caches, if it is fixed. A sleep uses no core,
/// so each member of a team takes equally long.
void take_time(MPI_Count bytes, const void* is_fixed) {
  constexpr std::chrono::nanoseconds of_byte(30);
  if (is_fixed != nullptr) std::this_thread::sleep_for(bytes * of_byte);
}

/// Copy every fourth double, like programs that pack by hand.
void pack(const void* cells, MPI_Count offset, MPI_Count length, void* target, void* is_fixed) {
  constexpr MPI_Count width = sizeof(double);
  const double* const from = static_cast<const double*>(cells) + 4 * (offset / width);
  for (MPI_Count i = 0; i < length / width; ++i) static_cast<double*>(target)[i] = from[4 * i];
  take_time(length, is_fixed);
}

void unpack(void* cells, MPI_Count offset, MPI_Count length, const void* source, void* is_fixed) {
  constexpr MPI_Count width = sizeof(double);
  double* const to = static_cast<double*>(cells) + 4 * (offset / width);
  for (MPI_Count i = 0; i < length / width; ++i) to[4 * i] = static_cast<const double*>(source)[i];
  take_time(length, is_fixed);
}

/// The same message, packed by functions of the program. Natively one thread packs it into a buffer.
Call packed_message(std::size_t bytes, bool in_fixed_time) {
  constexpr int tag = 1;
  static char fixed;
  void* const is_fixed = in_fixed_time ? &fixed : nullptr;
  const int rank = own_rank();
  const auto size = static_cast<MPI_Count>(bytes);
  const auto cells = std::make_shared<Bytes>(4 * bytes);
  const auto packed = std::make_shared<Bytes>(bytes);
  MPI_Datatype type;
  MPIX_Helper_type_create(pack, unpack, size, is_fixed, &type);
  const auto call = [=](bool native) {
    const int count = static_cast<int>(size);
    if (rank == 0 && native) {
      pack(cells->data(), 0, size, packed->data(), is_fixed);
      PMPI_Send(packed->data(), count, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
    } else if (rank == 0) {
      MPI_Send(cells->data(), 1, type, 1, tag, MPI_COMM_WORLD);
    } else if (rank == 1 && native) {
      PMPI_Recv(packed->data(), count, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      unpack(cells->data(), 0, size, packed->data(), is_fixed);
    } else if (rank == 1) {
      MPI_Recv(cells->data(), 1, type, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  };
  const auto reset = [=] { fill_bytes(*cells, rank); };
  return {bytes, call, reset, cells};
}

struct Groups {
  MPI_Comm comm = MPI_COMM_NULL;
  MPIX_Sysgroup tree = MPIX_SYSGROUP_NULL;

  Groups() {
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPIX_Group_comm_create(MPI_COMM_WORLD, all, 1, &comm);
    MPI_Group_free(&all);
    MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &tree);
  }
  ~Groups() {
    MPI_Comm_free(&comm);
    MPIX_Sysgroup_free(&tree);
  }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;
};

struct GroupOperation {
  const char *function, *data;
  void (*call)(bool native, const Groups& groups, const void* in, void* out, int count);
};

constexpr GroupOperation operations[] = {
    {"MPI_Allreduce", "communicator of a group",
     [](bool native, const Groups& groups, const void* in, void* out, int count) {
       const MPI_Comm comm = native ? MPI_COMM_WORLD : groups.comm;
       (native ? PMPI_Allreduce : MPI_Allreduce)(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
     }},
    {"MPIX_Sysgroup_allreduce", "tree",
     [](bool native, const Groups& groups, const void* in, void* out, int count) {
       native ? PMPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)
              : MPIX_Sysgroup_allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, groups.tree);
     }},
    {"MPIX_Sysgroup_reduce", "tree",
     [](bool native, const Groups& groups, const void* in, void* out, int count) {
       native ? PMPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD)
              : MPIX_Sysgroup_reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, groups.tree);
     }},
    {"MPIX_Sysgroup_bcast", "tree", [](bool native, const Groups& groups, const void*, void* out, int count) {
       native ? PMPI_Bcast(out, count, MPI_DOUBLE, 0, MPI_COMM_WORLD)
              : MPIX_Sysgroup_bcast(out, count, MPI_DOUBLE, 0, groups.tree);
     }}};

Call on_groups(const GroupOperation& operation, std::size_t bytes) {
  const auto groups = std::make_shared<const Groups>();
  const std::size_t count = bytes / sizeof(double);
  const auto in = std::make_shared<Bytes>(count * sizeof(double));
  const auto out = std::make_shared<Bytes>(in->size());
  const auto call = [=](bool native) {
    operation.call(native, *groups, in->data(), out->data(), static_cast<int>(count));
  };
  const auto reset = [=, rank = own_rank()] {
    for (std::size_t i = 0; i < count; ++i) {
      const double value = static_cast<double>(i % 101) + rank;
      std::memcpy(in->data() + i * sizeof value, &value, sizeof value);
      std::memcpy(out->data() + i * sizeof value, &value, sizeof value); // what is broadcast
    }
  };
  return {in->size(), call, reset, out};
}

} // namespace

std::vector<Task> messages(std::size_t bytes) {
  std::vector<Task> planned;
  for (const bool exchange : {false, true})
    for (const char* data : {"vector-1", "vector-8", "struct"})
      planned.push_back({exchange ? "MPI_Isend" : "MPI_Send", data, bytes,
                         [=] { return message(type_named(data), bytes, exchange); }});
  planned.push_back(
      {"MPI_Send", "packing functions", bytes, [bytes] { return packed_message(bytes, false); }});
  return planned;
}

std::vector<Task> packing_in_fixed_time(std::size_t bytes) {
  return {{"MPI_Send", "functions of fixed cost", bytes, [bytes] { return packed_message(bytes, true); }}};
}

std::vector<Task> group_operations(std::size_t bytes) {
  std::vector<Task> planned;
  for (const GroupOperation& operation : operations)
    planned.push_back({operation.function, operation.data, bytes,
                       [&operation, bytes] { return on_groups(operation, bytes); }});
  return planned;
}

} // namespace bench
