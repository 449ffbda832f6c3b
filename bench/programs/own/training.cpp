// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Data-parallel training on CPUs. Each rank has its own samples. After each part of the backward pass, MPI
// adds up the gradients of a bucket while the OpenMP threads wait. The model is the mean of the samples, so
// that the weights after each step are known.

#include "common.hpp"

namespace {

using Floats = std::vector<float>;
constexpr int samples = 4; ///< of a rank
constexpr float rate = 0.25F;

float sample(std::size_t i, int s) {
  return static_cast<float>((i * 7 + static_cast<std::size_t>(s) * 13) % 32) / 8;
}

void backward(const Floats& weights, Floats& gradients, int rank) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < weights.size(); ++i) {
    float sum = 0;
    for (int s = rank * samples; s < (rank + 1) * samples; ++s) sum += weights[i] - sample(i, s);
    gradients[i] = sum;
  }
}

void update(Floats& weights, const Floats& gradients, int all_samples) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] -= rate * gradients[i] / static_cast<float>(all_samples);
}

} // namespace

// Usage: training [STEPS]
int main(int argc, char** argv) {
  Job job(argc, argv, 100);
  constexpr std::size_t million = std::size_t(1) << 20;
  const int all_samples = job.ranks * samples;
  std::vector<Floats> weights, gradients;
  for (const std::size_t size : {4 * million, 2 * million, million, million}) {
    weights.emplace_back(size, 0.0F);
    gradients.emplace_back(size, 0.0F);
  }
  for (int step = 0; step < job.steps; ++step) {
    for (std::size_t bucket = 0; bucket < weights.size(); ++bucket) {
      backward(weights[bucket], gradients[bucket], job.rank);
      MPI_Allreduce(MPI_IN_PLACE, gradients[bucket].data(), static_cast<int>(gradients[bucket].size()),
                    MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (std::size_t bucket = 0; bucket < weights.size(); ++bucket)
      update(weights[bucket], gradients[bucket], all_samples);
  }

  // Each step covers a quarter of the distance that remains to the mean of all samples.
  const double covered = 1 - std::pow(1 - rate, job.steps);
  double sum = 0, expected = 0, error = 0;
  for (const Floats& bucket : weights)
    for (std::size_t i = 0; i < bucket.size(); ++i) {
      double mean = 0;
      for (int s = 0; s < all_samples; ++s) mean += sample(i, s);
      mean *= covered / all_samples;
      expected += mean;
      sum += bucket[i];
      error = std::max(error, std::abs(bucket[i] - mean));
    }
  return job.finish(job.rank == 0 ? sum : 0, expected, error, 1e-5);
}
