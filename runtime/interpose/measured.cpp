// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "interpose/measured.hpp"

#include <mpi.h>

#include <array>
#include <numeric>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "advice/recorder.hpp"
#include "interpose/direct.hpp"
#include "interpose/listed.hpp"
#include "interpose/name.hpp"
#include "interpose/volume.hpp"

namespace helper::interpose {

namespace {

using advice::CallData;
using advice::Clock;
using advice::Purpose;
using advice::Recorder;
using advice::Repetition;

struct Repeated {
  std::string_view function;
  Repetition as;
};
constexpr auto repeated = std::to_array<Repeated>({
    // clang-format off
    {"MPI_Send", Repetition::send}, {"MPI_Ssend", Repetition::send}, {"MPI_Rsend", Repetition::send},
    {"MPI_Sendrecv", Repetition::send}, {"MPI_Isend", Repetition::isend}, {"MPI_Issend", Repetition::isend},
    {"MPI_Irsend", Repetition::isend}, {"MPI_Bcast", Repetition::bcast}, {"MPI_Reduce", Repetition::reduce},
    {"MPI_Allreduce", Repetition::allreduce}, {"MPI_Gather", Repetition::gather}, {"MPI_Gatherv", Repetition::gather},
    {"MPI_Scatter", Repetition::scatter}, {"MPI_Scatterv", Repetition::scatter},
    {"MPI_Allgather", Repetition::allgather}, {"MPI_Allgatherv", Repetition::allgather},
    {"MPI_Alltoall", Repetition::alltoall}, {"MPI_Alltoallv", Repetition::alltoall},
    {"MPI_Reduce_scatter", Repetition::reduce_scatter}, {"MPI_Reduce_scatter_block", Repetition::reduce_scatter},
    {"MPI_Scan", Repetition::scan}, {"MPI_Exscan", Repetition::scan}, {"MPI_Pack", Repetition::pack},
    {"MPI_Unpack", Repetition::unpack}, {"MPI_Reduce_local", Repetition::reduce_local},
    // clang-format on
});

constexpr bool starts_with_any(std::string_view name, auto... prefixes) {
  return (name.starts_with(prefixes) || ...);
}

/// Returns the name without what marks the form for large counts.
template <auto Native>
inline constexpr std::string_view base_name = [] {
  std::string_view name = name_of<Native>;
  if (name.ends_with("_c")) name.remove_suffix(2);
  return name;
}();

template <auto Native>
inline constexpr Repetition repetition_of = [] {
  for (const Repeated& each : repeated)
    if (each.function == base_name<Native>) return each.as;
  return Repetition::none;
}();

template <auto Native>
inline constexpr Purpose purpose_of = [] {
  constexpr std::string_view name = base_name<Native>;
  constexpr bool is_in_list = listed<Native>.comm != Listed::none;
  if (starts_with_any(name, "MPI_File_", "MPI_Register")) return Purpose::files;
  if (starts_with_any(name, "MPI_Win_", "MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Rput", "MPI_Rget",
                      "MPI_Raccumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap") &&
      name != "MPI_Get_count")
    return Purpose::one_sided;
  if (starts_with_any(name, "MPI_Pack", "MPI_Unpack")) return Purpose::packing;
  if (name == "MPI_Reduce_local") return Purpose::reducing;
  if (starts_with_any(name, "MPI_Comm_", "MPI_Cart_", "MPI_Graph_", "MPI_Dist_", "MPI_Intercomm_"))
    return Purpose::other;
  if (starts_with_any(name, "MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Bsend", "MPI_Recv", "MPI_Mrecv",
                      "MPI_I", "MPI_Wait", "MPI_Test", "MPI_Probe", "MPI_Mprobe", "MPI_Start"))
    return Purpose::message;
  return is_in_list ? Purpose::collective : Purpose::other;
}();

/// Returns what the call moves from or to this process; of forms with a count for each rank the mean.
template <auto Native, class... Arguments>
CallData data_of(const std::tuple<Arguments...>& all) {
  constexpr std::string_view name = base_name<Native>;
  constexpr Listed is = listed<Native>;
  CallData data;
  const auto take = [&]<std::size_t at>(std::integral_constant<std::size_t, at>) {
    const auto count = std::get<at + 1>(all);
    data = {std::get<at>(all), count > 0 ? static_cast<std::uint64_t>(count) : 0, std::get<at + 2>(all),
            MPI_OP_NULL};
  };
  const auto take_mean = [&](const void* buffer, const auto* counts, MPI_Datatype type, MPI_Comm comm) {
    int ranks = 1;
    PMPI_Comm_size(comm, &ranks);
    const auto sum = std::accumulate(counts, counts + ranks, std::uint64_t{0});
    data = {buffer, sum / static_cast<std::uint64_t>(ranks), type, MPI_OP_NULL};
  };
  if constexpr (name == "MPI_Alltoallv") {
    const bool in_place = std::get<0>(all) == MPI_IN_PLACE;
    take_mean(std::get<0>(all), in_place ? std::get<5>(all) : std::get<1>(all),
              in_place ? std::get<7>(all) : std::get<3>(all), std::get<8>(all));
  } else if constexpr (name == "MPI_Reduce_scatter") {
    take_mean(std::get<0>(all), std::get<2>(all), std::get<3>(all), std::get<5>(all));
    data.op = std::get<4>(all);
  } else if constexpr (purpose_of<Native> != Purpose::files && purpose_of<Native> != Purpose::one_sided &&
                       is.own != Listed::none) {
    take(std::integral_constant<std::size_t, is.own>());
    if constexpr (is.other != Listed::none && purpose_of<Native> == Purpose::collective) {
      if (data.buffer == MPI_IN_PLACE) take(std::integral_constant<std::size_t, is.other>());
    }
    if constexpr (is.own + 3 < sizeof...(Arguments)) {
      if constexpr (name.find("educe") != name.npos || name.find("scan") != name.npos)
        data.op = std::get<is.own + 3>(all);
    }
  }
  return data;
}

template <auto Native>
struct Timed;

template <class... Arguments, int (*Native)(Arguments...)>
struct Timed<Native> {
  static int call(Arguments... arguments) {
    Recorder& own = advice::recorder();
    if constexpr (purpose_of<Native> == Purpose::collective) {
      if (!own.times_next(comm_among<Native>(std::tuple(arguments...))))
        return Mapped<Native>::call(arguments...);
    } else {
      if (!own.times_next()) return Mapped<Native>::call(arguments...);
    }
    return record(own, __builtin_return_address(0), arguments...);
  }

private:
  [[gnu::noinline]] static int record(Recorder& own, const void* site, Arguments... arguments) {
    if constexpr (std::is_same_v<std::tuple<Arguments...>, std::tuple<MPI_Comm*>>) // it is freed
      own.forget(*std::get<0>(std::tuple(arguments...)));
    constexpr bool is_receive = starts_with_any(std::string_view(name_of<Native>), "MPI_Recv", "MPI_Irecv",
                                                "MPI_Mrecv", "MPI_Imrecv");
    const auto begin = Clock::now();
    const int code = Native(arguments...);
    const auto end = Clock::now();
    CallData data;
    if constexpr (!is_receive) {
      if (code == MPI_SUCCESS) data = data_of<Native>(std::tuple(arguments...));
    }
    own.add(name_of<Native>, purpose_of<Native>, repetition_of<Native>, site, data, begin, end);
    return code;
  }
};

template <auto... Natives>
std::span<const Measured> list() {
  static const std::array all{Measured{name_of<Natives>, reinterpret_cast<void*>(Timed<Natives>::call)}...};
  return all;
}

} // namespace

std::span<const Measured> measured() {
  return list<
      PMPI_Allgather, PMPI_Allgatherv, PMPI_Allreduce, PMPI_Alltoall, PMPI_Alltoallv, PMPI_Alltoallw,
      PMPI_Barrier, PMPI_Bcast, PMPI_Exscan, PMPI_Gather, PMPI_Gatherv, PMPI_Neighbor_allgather,
      PMPI_Neighbor_allgatherv, PMPI_Neighbor_alltoall, PMPI_Neighbor_alltoallv, PMPI_Neighbor_alltoallw,
      PMPI_Reduce, PMPI_Reduce_scatter, PMPI_Reduce_scatter_block, PMPI_Scan, PMPI_Scatter, PMPI_Scatterv,
      PMPI_Iallgather, PMPI_Iallgatherv, PMPI_Iallreduce, PMPI_Ialltoall, PMPI_Ialltoallv, PMPI_Ibarrier,
      PMPI_Ibcast, PMPI_Igather, PMPI_Igatherv, PMPI_Ireduce, PMPI_Iscatter, PMPI_Iscatterv, PMPI_Send,
      PMPI_Ssend, PMPI_Rsend, PMPI_Bsend, PMPI_Isend, PMPI_Issend, PMPI_Irsend, PMPI_Recv, PMPI_Irecv,
      PMPI_Mrecv, PMPI_Sendrecv, PMPI_Sendrecv_replace, PMPI_Start, PMPI_Startall, PMPI_Wait, PMPI_Waitall,
      PMPI_Waitany, PMPI_Waitsome, PMPI_Test, PMPI_Testall, PMPI_Testany, PMPI_Testsome, PMPI_Probe,
      PMPI_Mprobe, PMPI_Iprobe, PMPI_Pack, PMPI_Unpack, PMPI_Pack_external, PMPI_Unpack_external,
      PMPI_Reduce_local, PMPI_Put, PMPI_Get, PMPI_Accumulate, PMPI_Get_accumulate, PMPI_Fetch_and_op,
      PMPI_Compare_and_swap, PMPI_Rput, PMPI_Rget, PMPI_Win_fence, PMPI_Win_start, PMPI_Win_complete,
      PMPI_Win_wait, PMPI_Win_lock, PMPI_Win_lock_all, PMPI_Win_unlock, PMPI_Win_unlock_all, PMPI_Win_flush,
      PMPI_Win_flush_all, PMPI_Win_flush_local, PMPI_Win_flush_local_all, PMPI_File_open, PMPI_File_close,
      PMPI_File_read_all, PMPI_File_read_at_all, PMPI_File_read_ordered, PMPI_File_write_all,
      PMPI_File_write_at_all, PMPI_File_write_ordered, PMPI_File_set_view, PMPI_File_set_size, PMPI_File_sync,
      PMPI_File_read_all_begin, PMPI_File_read_all_end, PMPI_File_write_all_begin, PMPI_File_write_all_end,
      PMPI_File_iread_at, PMPI_File_iwrite_at, PMPI_Comm_split, PMPI_Comm_dup, PMPI_Comm_create,
      PMPI_Comm_free, PMPI_Comm_disconnect
#if MPI_VERSION >= 4 // with large counts
      ,
      PMPI_Allgather_c, PMPI_Allgatherv_c, PMPI_Allreduce_c, PMPI_Alltoall_c, PMPI_Alltoallv_c, PMPI_Bcast_c,
      PMPI_Exscan_c, PMPI_Gather_c, PMPI_Gatherv_c, PMPI_Reduce_c, PMPI_Reduce_scatter_c,
      PMPI_Reduce_scatter_block_c, PMPI_Scan_c, PMPI_Scatter_c, PMPI_Scatterv_c, PMPI_Send_c, PMPI_Ssend_c,
      PMPI_Isend_c, PMPI_Recv_c, PMPI_Irecv_c, PMPI_Sendrecv_c, PMPI_Pack_c, PMPI_Unpack_c,
      PMPI_Reduce_local_c, PMPI_Put_c, PMPI_Get_c, PMPI_Accumulate_c, PMPI_File_read_all_c,
      PMPI_File_read_at_all_c, PMPI_File_write_all_c, PMPI_File_write_at_all_c
#endif
      >();
}

} // namespace helper::interpose
