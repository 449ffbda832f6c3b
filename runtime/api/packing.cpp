// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Implements the datatypes of mpi_helper.h whose data are packed by functions of the program.

#include "mpi_helper.h"

#include <string>

#include "api/guarded.hpp"
#include "layout/layout.hpp"
#include "process/process.hpp"
#include "ranks/world.hpp"

using namespace helper;

extern "C" int MPIX_Helper_type_create(MPIX_Helper_pack_function* pack, MPIX_Helper_unpack_function* unpack,
                                       MPI_Count bytes, void* data, MPI_Datatype* type) {
  return api::guarded("MPIX_Helper_type_create", MPI_COMM_WORLD, [&] {
    api::check_pointer(type, "type");
    if (pack == nullptr || unpack == nullptr)
      throw api::Rejected(MPI_ERR_ARG,
                          pack == nullptr ? "pack is a null pointer" : "unpack is a null pointer");
    if (bytes < 0) throw api::Rejected(MPI_ERR_ARG, "bytes is " + std::to_string(bytes) + ", negative");
    if (ranks::world::comm() == MPI_COMM_NULL)
      throw api::Rejected(MPI_ERR_OTHER, "the library does not take part in communication");
    process::expect_phases(); // lets receives with this type go through the library
    api::reported(layout::Layout::make_type(bytes, {pack, unpack, data}, type));
  });
}
