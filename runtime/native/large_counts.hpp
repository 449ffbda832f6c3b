// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <climits>

#if MPI_VERSION < 4

#include <initializer_list>

/// The functions of MPI 4 that the library calls, for an MPI of version 3.1, whose functions count with an
/// int. A program of such an MPI cannot pass large counts, but its data may still exceed INT_MAX bytes.
namespace helper::native {

/// Returns `call(count, type)` with an int as count. If the count is too large, calls it with one element of
/// a type made of all elements.
template <class Call>
int with_int_count(MPI_Count count, MPI_Datatype type, const Call& call) {
  if (count <= INT_MAX) return call(static_cast<int>(count), type);
  constexpr int block = 1 << 30;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  if (int code = PMPI_Type_get_extent(type, &lower, &extent); code != MPI_SUCCESS) return code;
  MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, type};
  MPI_Datatype blocks = MPI_DATATYPE_NULL;
  MPI_Datatype all = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(block, type, &blocks);
  PMPI_Type_contiguous(static_cast<int>(count / block), blocks, &parts[0]);
  const int lengths[2] = {1, static_cast<int>(count % block)};
  const MPI_Aint places[2] = {0, extent * (count - count % block)};
  PMPI_Type_create_struct(2, lengths, places, parts, &all);
  PMPI_Type_commit(&all);
  const int code = call(1, all);
  for (MPI_Datatype* made : {&all, &parts[0], &blocks}) PMPI_Type_free(made);
  return code;
}

/// Calls `Function`, whose first arguments are a buffer, a count and a datatype, with a large count.
template <auto Function>
constexpr auto with_large_count = [](auto* buffer, MPI_Count count, MPI_Datatype type, auto... others) {
  return with_int_count(count, type,
                        [&](int n, MPI_Datatype of) { return Function(buffer, n, of, others...); });
};

} // namespace helper::native

inline int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype type, MPI_Datatype* made) {
  return helper::native::with_int_count(
      count, type, [made](int n, MPI_Datatype of) { return PMPI_Type_contiguous(n, of, made); });
}

inline int PMPI_Type_size_c(MPI_Datatype type, MPI_Count* size) {
  return PMPI_Type_size_x(type, size);
}

inline int PMPI_Type_get_extent_c(MPI_Datatype type, MPI_Count* lower, MPI_Count* extent) {
  return PMPI_Type_get_extent_x(type, lower, extent);
}

inline int PMPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses,
                                    MPI_Count* counts, MPI_Count* types, int* combiner) {
  int of[3] = {0, 0, 0};
  const int code = PMPI_Type_get_envelope(type, &of[0], &of[1], &of[2], combiner);
  *integers = of[0];
  *addresses = of[1];
  *counts = 0;
  *types = of[2];
  return code;
}

inline int PMPI_Type_get_contents_c(MPI_Datatype type, MPI_Count integers, MPI_Count addresses, MPI_Count,
                                    MPI_Count types, int* the_integers, MPI_Aint* the_addresses, MPI_Count*,
                                    MPI_Datatype* the_types) {
  return PMPI_Type_get_contents(type, static_cast<int>(integers), static_cast<int>(addresses),
                                static_cast<int>(types), the_integers, the_addresses, the_types);
}

inline constexpr auto PMPI_Send_c = helper::native::with_large_count<PMPI_Send>;
inline constexpr auto PMPI_Isend_c = helper::native::with_large_count<PMPI_Isend>;
inline constexpr auto PMPI_Issend_c = helper::native::with_large_count<PMPI_Issend>;
inline constexpr auto PMPI_Recv_c = helper::native::with_large_count<PMPI_Recv>;
inline constexpr auto PMPI_Irecv_c = helper::native::with_large_count<PMPI_Irecv>;
inline constexpr auto PMPI_Mrecv_c = helper::native::with_large_count<PMPI_Mrecv>;
inline constexpr auto PMPI_Imrecv_c = helper::native::with_large_count<PMPI_Imrecv>;

inline int PMPI_Sendrecv_c(const void* out, MPI_Count out_count, MPI_Datatype out_type, int to, int out_tag,
                           void* in, MPI_Count in_count, MPI_Datatype in_type, int from, int in_tag,
                           MPI_Comm comm, MPI_Status* status) {
  return helper::native::with_int_count(out_count, out_type, [&](int sent, MPI_Datatype of) {
    return helper::native::with_int_count(in_count, in_type, [&](int received, MPI_Datatype into) {
      return PMPI_Sendrecv(out, sent, of, to, out_tag, in, received, into, from, in_tag, comm, status);
    });
  });
}

inline int PMPI_Pack_c(const void* in, MPI_Count count, MPI_Datatype type, void* out, MPI_Count size,
                       MPI_Count* position, MPI_Comm comm) {
  return helper::native::with_int_count(count, type, [&](int n, MPI_Datatype of) {
    int at = static_cast<int>(*position);
    const int code = PMPI_Pack(in, n, of, out, static_cast<int>(size), &at, comm);
    *position = at;
    return code;
  });
}

inline int PMPI_Unpack_c(const void* in, MPI_Count size, MPI_Count* position, void* out, MPI_Count count,
                         MPI_Datatype type, MPI_Comm comm) {
  return helper::native::with_int_count(count, type, [&](int n, MPI_Datatype of) {
    int at = static_cast<int>(*position);
    const int code = PMPI_Unpack(in, static_cast<int>(size), &at, out, n, of, comm);
    *position = at;
    return code;
  });
}

#endif

namespace helper::native {

/// Returns `call(count, type)` for `bytes` bytes, with an int as count.
template <class Call>
int with_bytes(MPI_Count bytes, const Call& call) {
  if (bytes <= INT_MAX) return call(static_cast<int>(bytes), MPI_BYTE);
  MPI_Datatype all = MPI_DATATYPE_NULL;
  if (const int code = PMPI_Type_contiguous_c(bytes, MPI_BYTE, &all); code != MPI_SUCCESS) return code;
  PMPI_Type_commit(&all);
  const int code = call(1, all);
  PMPI_Type_free(&all);
  return code;
}

} // namespace helper::native
