// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What a process does alone is shared by its team.

#include <string_view>

#include "interpose/entry.hpp"
#include "local/local.hpp"

using namespace helper;
using namespace helper::interpose;
using local::Packing;

namespace {

/// Has the team do `work`, once native MPI, which `judge()` asks to do it with no elements, has accepted the
/// arguments.
template <class Position, class Judge>
std::optional<int> carry(team::Member& member, const std::optional<Packing>& packing,
                         void (Packing::*work)(team::Member&) const noexcept, Position* position,
                         const Judge& judge) {
  if (!packing) return std::nullopt;
  if (const int code = judge(); code != MPI_SUCCESS) return code;
  ((*packing).*work)(member);
  *position += static_cast<Position>(packing->bytes());
  return MPI_SUCCESS;
}

/// Returns where a call is to begin; for native MPI to judge, where nowhere.
template <class Position>
MPI_Count value_of(const Position* position) noexcept {
  return position == nullptr ? -1 : static_cast<MPI_Count>(*position);
}

bool is_external32(const char* representation) noexcept {
  return representation != nullptr && std::string_view(representation) == "external32";
}

template <auto Native>
constexpr auto pack = [](team::Member& member, const void* in, auto count, MPI_Datatype type, void* out,
                         auto size, auto* position, MPI_Comm comm) {
  const auto packing =
      Packing::of(member, Packing::Form::internal, in, count, type, out, size, value_of(position));
  return carry(member, packing, &Packing::pack, position,
               [&] { return Native(in, 0, type, out, size, position, comm); });
};

template <auto Native>
constexpr auto unpack = [](team::Member& member, const void* in, auto size, auto* position, void* out,
                           auto count, MPI_Datatype type, MPI_Comm comm) {
  const auto packing =
      Packing::of(member, Packing::Form::internal, out, count, type, in, size, value_of(position));
  return carry(member, packing, &Packing::unpack, position,
               [&] { return Native(in, size, position, out, 0, type, comm); });
};

template <auto Native>
constexpr auto pack_external = [](team::Member& member, const char* representation, const void* in,
                                  auto count, MPI_Datatype type, void* out, auto size,
                                  auto* position) -> std::optional<int> {
  if (!is_external32(representation)) return std::nullopt;
  const auto packing =
      Packing::of(member, Packing::Form::external32, in, count, type, out, size, value_of(position));
  return carry(member, packing, &Packing::pack, position,
               [&] { return Native(representation, in, 0, type, out, size, position); });
};

template <auto Native>
constexpr auto unpack_external = [](team::Member& member, const char* representation, const void* in,
                                    auto size, auto* position, void* out, auto count,
                                    MPI_Datatype type) -> std::optional<int> {
  if (!is_external32(representation)) return std::nullopt;
  const auto packing =
      Packing::of(member, Packing::Form::external32, out, count, type, in, size, value_of(position));
  return carry(member, packing, &Packing::unpack, position,
               [&] { return Native(representation, in, size, position, out, 0, type); });
};

} // namespace

extern "C" {

int MPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position,
             MPI_Comm comm) {
  return Entry<PMPI_Pack, pack<PMPI_Pack>>::call(inbuf, incount, datatype, outbuf, outsize, position, comm);
}

int MPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount,
               MPI_Datatype datatype, MPI_Comm comm) {
  return Entry<PMPI_Unpack, unpack<PMPI_Unpack>>::call(inbuf, insize, position, outbuf, outcount, datatype,
                                                       comm);
}

int MPI_Pack_external(const char* datarep, const void* inbuf, int incount, MPI_Datatype datatype,
                      void* outbuf, MPI_Aint outsize, MPI_Aint* position) {
  return Entry<PMPI_Pack_external, pack_external<PMPI_Pack_external>>::call(datarep, inbuf, incount, datatype,
                                                                            outbuf, outsize, position);
}

int MPI_Unpack_external(const char* datarep, const void* inbuf, MPI_Aint insize, MPI_Aint* position,
                        void* outbuf, int outcount, MPI_Datatype datatype) {
  return Entry<PMPI_Unpack_external, unpack_external<PMPI_Unpack_external>>::call(
      datarep, inbuf, insize, position, outbuf, outcount, datatype);
}

int MPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  return Entry<PMPI_Reduce_local, local::reduce>::call(inbuf, inoutbuf, count, datatype, op);
}

#if MPI_VERSION >= 4 // with large counts

int MPI_Pack_c(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
               MPI_Count* position, MPI_Comm comm) {
  return Entry<PMPI_Pack_c, pack<PMPI_Pack_c>>::call(inbuf, incount, datatype, outbuf, outsize, position,
                                                     comm);
}

int MPI_Unpack_c(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
                 MPI_Datatype datatype, MPI_Comm comm) {
  return Entry<PMPI_Unpack_c, unpack<PMPI_Unpack_c>>::call(inbuf, insize, position, outbuf, outcount,
                                                           datatype, comm);
}

int MPI_Pack_external_c(const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype,
                        void* outbuf, MPI_Count outsize, MPI_Count* position) {
  return Entry<PMPI_Pack_external_c, pack_external<PMPI_Pack_external_c>>::call(
      datarep, inbuf, incount, datatype, outbuf, outsize, position);
}

int MPI_Unpack_external_c(const char* datarep, const void* inbuf, MPI_Count insize, MPI_Count* position,
                          void* outbuf, MPI_Count outcount, MPI_Datatype datatype) {
  return Entry<PMPI_Unpack_external_c, unpack_external<PMPI_Unpack_external_c>>::call(
      datarep, inbuf, insize, position, outbuf, outcount, datatype);
}

int MPI_Reduce_local_c(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  return Entry<PMPI_Reduce_local_c, local::reduce>::call(inbuf, inoutbuf, count, datatype, op);
}

#endif

} // extern "C"
