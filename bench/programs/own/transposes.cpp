// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// A spectral code: the heat equation in a periodic cube, solved by 3-D Fourier transforms. The cube is cut
// into slabs. MPI_Alltoallw with subarrays moves it from slabs in x, for the transforms along y and z, to
// slabs in y, and back.

#include "common.hpp"

#include <complex>
#include <numbers>
#include <utility>

namespace {

using Complex = std::complex<double>;

/// Transforms a line without scaling. Its points are a power of two. `sign` is -1 forwards and 1 backwards.
void transform(std::vector<Complex>& line, int sign) {
  const std::size_t n = line.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) { // j: the bits of i in reverse order
    std::size_t bit = n / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(line[i], line[j]);
  }
  for (std::size_t half = 1; half < n; half *= 2) {
    const Complex root = std::polar(1.0, sign * std::numbers::pi / static_cast<double>(half));
    for (std::size_t begin = 0; begin < n; begin += 2 * half) {
      Complex factor = 1;
      for (std::size_t i = begin; i < begin + half; ++i, factor *= root) {
        const Complex odd = factor * line[i + half];
        line[i + half] = line[i] - odd;
        line[i] += odd;
      }
    }
  }
}

/// Transforms `outer` x `inner` lines of `n` points that are `inner` points apart.
void transform_lines(std::vector<Complex>& data, std::size_t outer, std::size_t n, std::size_t inner,
                     int sign) {
#pragma omp parallel for schedule(static)
  for (std::size_t at = 0; at < outer * inner; ++at) {
    Complex* const first = &data[at / inner * n * inner + at % inner];
    std::vector<Complex> line(n);
    for (std::size_t i = 0; i < n; ++i) line[i] = first[i * inner];
    transform(line, sign);
    for (std::size_t i = 0; i < n; ++i) first[i * inner] = line[i];
  }
}

} // namespace

// Usage: transposes [STEPS]
int main(int argc, char** argv) {
  Job job(argc, argv, 10);
  constexpr std::size_t n = 128;
  const std::size_t own = n / static_cast<std::size_t>(job.ranks),
                    begin = own * static_cast<std::size_t>(job.rank);
  const int edge = n, thick = edge / job.ranks;
  std::vector<MPI_Datatype> of_x, of_y; // the part of a slab for each rank
  for (int start = 0; start < edge; start += thick) {
    of_x.push_back(
        job.part_of({thick, edge, edge}, {thick, thick, edge}, {0, start, 0}, MPI_C_DOUBLE_COMPLEX));
    of_y.push_back(
        job.part_of({edge, thick, edge}, {thick, thick, edge}, {start, 0, 0}, MPI_C_DOUBLE_COMPLEX));
  }
  const std::vector<int> ones(of_x.size(), 1), zeros(of_x.size(), 0);
  const auto move = [&](const auto& from, const auto& from_types, auto& to, const auto& to_types) {
    MPI_Alltoallw(from.data(), ones.data(), zeros.data(), from_types.data(), to.data(), ones.data(),
                  zeros.data(), to_types.data(), MPI_COMM_WORLD);
  };
  // A wave along all axes, at point `i` of this rank's slab in x.
  const auto wave = [&](std::size_t i) {
    const std::size_t turns = begin + i / (n * n) + 2 * (i / n % n) + 3 * (i % n);
    return std::cos(2 * std::numbers::pi * static_cast<double>(turns) / n);
  };
  // The damping in one step of waves with these numbers along the axes. The upper half of the numbers is
  // negative.
  const auto damping = [&](auto... number) {
    return std::exp(-0.01 * (std::pow(std::min(number, n - number), 2) + ...));
  };

  std::vector<Complex> in_x(own * n * n), in_y(in_x.size());
  for (std::size_t i = 0; i < in_x.size(); ++i) in_x[i] = 1 + wave(i);
  for (int step = 0; step < job.steps; ++step) {
    transform_lines(in_x, own * n, n, 1, -1);
    transform_lines(in_x, own, n, n, -1);
    move(in_x, of_x, in_y, of_y);
    transform_lines(in_y, 1, n, own * n, -1);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < in_y.size(); ++i)
      in_y[i] *= damping(i / (own * n), begin + i / n % own, i % n) / (n * n * n);
    transform_lines(in_y, 1, n, own * n, 1);
    move(in_y, of_y, in_x, of_x);
    transform_lines(in_x, own, n, n, 1);
    transform_lines(in_x, own * n, n, 1, 1);
  }

  const double left = std::pow(damping(std::size_t(1), std::size_t(2), std::size_t(3)), job.steps);
  double sum = 0, error = 0;
  for (std::size_t i = 0; i < in_x.size(); ++i) {
    sum += in_x[i].real();
    error = std::max(error, std::abs(in_x[i] - (1 + left * wave(i))));
  }
  return job.finish(sum, n * n * n, error, 1e-9);
}
