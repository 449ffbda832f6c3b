// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

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
using advice::Purpose;
using advice::Recorder;
using advice::Repetition;
using advice::Stay;

/// Returns the name without the suffix of the large-count form.
template <auto Native>
inline constexpr std::string_view base_name = [] {
  std::string_view name = name_of<Native>;
  if (name.ends_with("_c")) name.remove_suffix(2);
  return name;
}();

template <auto Native>
inline constexpr Purpose purpose_of = Purpose::other;
template <auto Native>
inline constexpr Repetition repetition_of = Repetition::none;
#define MEASURED(NATIVE, PURPOSE, REPETITION)                                                                \
  template <>                                                                                                \
  inline constexpr Purpose purpose_of<NATIVE> = Purpose::PURPOSE;                                            \
  template <>                                                                                                \
  inline constexpr Repetition repetition_of<NATIVE> = Repetition::REPETITION;
#include "interpose/measured.inc"
#undef MEASURED

/// Returns the data that the call moves at this process, with the mean count if each rank has a count.
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
  [[maybe_unused]] const auto take_mean = [&](const void* buffer, const auto* counts, MPI_Datatype type,
                                              MPI_Comm comm) {
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
    if (purpose_of<Native> == Purpose::collective && data.buffer == MPI_IN_PLACE) { // MPI ignores the type
      data = {};
      if constexpr (name == "MPI_Allgatherv")
        take_mean(std::get<3>(all), std::get<4>(all), std::get<6>(all), std::get<7>(all));
      else if constexpr (is.other != Listed::none)
        take(std::integral_constant<std::size_t, is.other>());
    }
    if constexpr (is.own + 3 < sizeof...(Arguments)) {
      constexpr auto full = find_name<Native>(); // GCC 12 with sanitizers cannot search `name`
      if constexpr (full.find("educe") != full.npos || full.find("scan") != full.npos)
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
    if constexpr (std::is_same_v<std::tuple<Arguments...>, std::tuple<MPI_Comm*>>) // a communicator is freed
      Recorder::forget_communicators();
    if (is_skipped(arguments...)) [[likely]]
      return Mapped<Native>::call(arguments...);
    return record(arguments...);
  }

private:
  static constexpr bool is_collective = purpose_of<Native> == Purpose::collective;

  [[gnu::always_inline]] static inline bool is_skipped(Arguments... arguments) noexcept {
    if constexpr (is_collective)
      return Recorder::skips_next(comm_among<Native>(std::tuple(arguments...)));
    else
      return Recorder::skips_next();
  }

  // call() jumps here, so that the return address of this function is in the program.
  [[gnu::noinline]] static int record(Arguments... arguments) {
    constexpr Listed is = listed<Native>;
    constexpr bool is_receive = (is.message || is.begins) && !is.sends;
    const void* const site = __builtin_return_address(0);
    Recorder& own = Recorder::own();
    if constexpr (is_collective) {
      if (own.find(comm_among<Native>(std::tuple(arguments...))) && is_skipped(arguments...))
        return Native(arguments...);
    }
    // The call may re-enter this function with other communicators, for example in an error handler.
    Stay stay = own.enter(is_collective);
    const int code = Native(arguments...);
    stay.exit = Recorder::now();
    CallData data;
    const bool is_known = code == MPI_SUCCESS && (!is_collective || stay.ranks != 0);
    if constexpr (!is_receive) {
      if (is_known) data = data_of<Native>(std::tuple(arguments...));
    }
    own.add(name_of<Native>, purpose_of<Native>, is_known ? repetition_of<Native> : Repetition::none, site,
            data, stay);
    return code;
  }
};

} // namespace

void measure_if_wanted(void (*replace)(const char* name, void* function)) {
  if (!advice::is_on()) return;
#define MEASURED(NATIVE, PURPOSE, REPETITION)                                                                \
  replace(name_of<NATIVE>, reinterpret_cast<void*>(Timed<NATIVE>::call));
#include "interpose/measured.inc"
#undef MEASURED
}

} // namespace helper::interpose
