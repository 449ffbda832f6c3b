// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Files of a simulation with HDF5. All ranks together write a 3-D array, each its block without the ghost
// cells around it, and read it again. The block is non-contiguous in memory and in the file.

#include "common.hpp"

#include <hdf5.h>

namespace {

constexpr hsize_t n = 96, ghosts = 2, edge = n + 2 * ghosts; ///< cells of an edge; with ghost cells: `edge`
using Block = std::vector<double>;

/// Sets the cells of the block. Ghost cells are -1.
void fill(Block& block, double value) {
  block.assign(edge * edge * edge, -1);
#pragma omp parallel for schedule(static)
  for (hsize_t x = ghosts; x < ghosts + n; ++x)
    for (hsize_t y = ghosts; y < ghosts + n; ++y)
      for (hsize_t z = ghosts; z < ghosts + n; ++z)
        block[(x * edge + y) * edge + z] = value + static_cast<double>(x + y + z);
}

/// Returns a selection of n x n x n cells in an array of `sizes`, from `start`.
hid_t selection(const std::vector<hsize_t>& sizes, const std::vector<hsize_t>& start) {
  const std::vector<hsize_t> count(3, n);
  const hid_t space = H5Screate_simple(3, sizes.data(), nullptr);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  return space;
}

} // namespace

// Usage: hyperslabs [STEPS]. It writes and removes hyperslabs.h5 in the current folder.
int main(int argc, char** argv) {
  Job job(argc, argv, 20);
  const auto rank = static_cast<hsize_t>(job.rank), ranks = static_cast<hsize_t>(job.ranks);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), together = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE);
  const hid_t file = H5Fcreate("hyperslabs.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const hid_t memory = selection({edge, edge, edge}, {ghosts, ghosts, ghosts});
  const hid_t place = selection({n, n * ranks, n}, {0, n * rank, 0});
  const hid_t data =
      H5Dcreate2(file, "field", H5T_NATIVE_DOUBLE, place, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

  Block block, read;
  bool is_right = data >= 0;
  for (int step = 0; step < job.steps; ++step) {
    fill(block, step + job.rank);
    read.assign(block.size(), -1);
    is_right &= H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, place, together, block.data()) >= 0;
    is_right &= H5Dread(data, H5T_NATIVE_DOUBLE, memory, place, together, read.data()) >= 0;
    is_right &= read == block;
  }
  for (const hid_t space : {memory, place}) H5Sclose(space);
  H5Dclose(data);
  H5Fclose(file);
  for (const hid_t list : {access, together}) H5Pclose(list);

  double sum = 0, expected = 0; // of the last step
  for (const double value : read)
    if (value >= 0) sum += value;
  for (int r = 0; r < job.ranks; ++r)
    expected += double(n * n * n) * (job.steps - 1 + r + 3 * (ghosts + double(n - 1) / 2));
  if (job.rank == 0) std::remove("hyperslabs.h5");
  return job.finish(sum, expected, is_right ? 0 : 1, 1e-9);
}
