// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <span>

#include "collective/selection.hpp"

namespace helper::collective {

namespace {

constexpr std::size_t little = 512; // bytes
constexpr int most_readers = 4;     // ranks of a non-blocking operation
constexpr std::size_t KiB = 1024;

/// The rows of an operation stand together, and the operations in their order. Figures are native MPI's time
/// over the team's, with a team of one thread at each of 2 ranks, unless the comment says otherwise.
constexpr std::array table{
    // 4 to 6 times as fast as native MPI.
    Row{Operation::barrier, Algorithm::shm_linear, any_size, any_ranks},
    // 1.8 times as fast as native MPI, and 1.5 times as fast as its non-blocking form.
    Row{Operation::barrier, Algorithm::dissemination, any_size, any_ranks},

    // Sizes are of the whole message. Shm_linear reaches 2.7 to 5 up to 1 KiB, 1.5 to 2.2 at 4 KiB; shm_cico
    // 2.6 to 4.5 at 16 KiB, 2.2 to 3.6 up to 128 KiB; cma, if the root's data are dense, 3 to 5 from there to
    // 16 MiB, and 1.5 times as fast as shm_cico from 64 KiB on. Against the faster of MPICH and Open MPI cma
    // is at 1.8 to 2.5 up to 4 MiB, 1.5 at 8 and 16; shm_cico at 0.7 to 0.87 from 2 MiB to 8.
    // Where more ranks read from the root at once, they hinder one another: with a processor each, cma took
    // 1.2 to 1.4 times as long as shm_cico at 4 ranks up to 4 MiB, 1.3 to 4.4 times at 8, 2 to 8 at 16; and 4
    // ranks on two processors up to 2 times up to 1 MiB, and as long from 4 MiB on.
    // Pipelined_tree is at 1 to 2.5 from 256 KiB on.
    Row{Operation::bcast, Algorithm::native, any_size, 1},
    Row{Operation::bcast, Algorithm::shm_linear, short_most, any_ranks},
    Row{Operation::bcast, Algorithm::binomial, short_most, any_ranks},
    Row{Operation::bcast, Algorithm::shm_cico, 64 * KiB - 1, any_ranks},
    Row{Operation::bcast, Algorithm::cma, any_size, 2},
    Row{Operation::bcast, Algorithm::shm_cico, any_size, any_ranks},
    Row{Operation::bcast, Algorithm::pipelined_tree, any_size, any_ranks},
    Row{Operation::bcast, Algorithm::scatter_allgather, any_size, any_ranks},
    Row{Operation::bcast, Algorithm::chain, any_size, any_ranks},

    // Sizes are of a rank's contribution; pairs of figures are for processors that share no cache, and that
    // do. Shm_linear is at 2.4 and 4 at 1 KiB, 3 and 1.9 at 4 KiB, 2.6 and 2 at 16 KiB; recursive_doubling at
    // 1.5 to 1.9; shm_cico at 4.5 and 3.5 at 32 KiB, 5 and 2.7 at 256 KiB, 4 and 1.8 at 4 MiB, 1.6 to 1.9 at
    // 16 MiB, 3 at 64 MiB; reduce_scatter_allgather at 1.1 at 16 KiB, 1.3 to 1.6 at 1 MiB, 2.4 at 64 MiB;
    // memory of MPI_Alloc_mem at 3 to 5 from 32 KiB on.
    Row{Operation::allreduce, Algorithm::shm_linear, short_most, any_ranks},
    Row{Operation::allreduce, Algorithm::shm_linear, any_size, few_ranks}, // every rank reduces all
    Row{Operation::allreduce, Algorithm::recursive_doubling, short_most, any_ranks},
    // On two processors, against Open MPI at 64 KiB, 1 and 4 MiB, shm_chain has 1.8, 2.1 and 2.0 at 4 ranks,
    // 2.9, 1.3 and 1.6 at 8, 1.7, 1.3 and 1.7 at 16, 1.9, 1.6 and 1.6 at 32, where shm_cico is at 1.
    Row{Operation::allreduce, Algorithm::shm_chain, any_size, any_ranks},
    Row{Operation::allreduce, Algorithm::shm_cico, any_size, any_ranks},
    // On two hosts at 1 Gbit/s, 2 ranks each, this is at 1.3 at 4 MiB against reduce_scatter_allgather.
    Row{Operation::allreduce, Algorithm::two_level, any_size, any_ranks},
    Row{Operation::allreduce, Algorithm::reduce_scatter_allgather, any_size, any_ranks},
    Row{Operation::allreduce, Algorithm::recursive_halving, any_size, any_ranks},
    Row{Operation::allreduce, Algorithm::ring, any_size, any_ranks},
    // Shm_linear is at 2.2 at 16 KiB, where shm_cico is at 1.8. Shm_cico is at 3.3 at 32 KiB, 7 at 128 KiB, 8
    // to 14 at 512 KiB, 9 at 4 MiB, 6 at 16. Reduce_scatter_gather and linear reach 2.6 and 1.2 at 16 KiB,
    // 1.7 to 7 and 2.8 to 8 at 32 to 256 KiB, and 3.5 to 7 beyond.
    Row{Operation::reduce, Algorithm::shm_linear, any_size, few_ranks},
    Row{Operation::reduce, Algorithm::shm_linear, short_most, any_ranks},
    Row{Operation::reduce, Algorithm::binomial, short_most, any_ranks},
    Row{Operation::reduce, Algorithm::shm_chain, any_size, any_ranks},
    Row{Operation::reduce, Algorithm::shm_cico, any_size, any_ranks},
    Row{Operation::reduce, Algorithm::reduce_scatter_gather, 16 * KiB, any_ranks},
    Row{Operation::reduce, Algorithm::linear, 256 * KiB, 2},
    Row{Operation::reduce, Algorithm::reduce_scatter_gather, any_size, any_ranks},
    Row{Operation::reduce, Algorithm::recursive_halving, any_size, any_ranks},
    // Where every rank reduces all, and keeps its share, shm_linear is at 1.3 at 16 KiB, recursive_doubling
    // at 1.4 at 2 KiB, 0.9 at 4. Where each reduces its share, shm_cico is at 1.0 at 16 KiB, 1.9 at 32, 1.7
    // up to 256 KiB, 1.1 to 1.8 up to 2 MiB, 2.1 to 2.7 up to 16; pairwise at 1.0 to 1.5 at 32 KiB.
    Row{Operation::reduce_scatter, Algorithm::shm_linear, any_size, few_ranks},
    Row{Operation::reduce_scatter, Algorithm::shm_linear, short_most, any_ranks},
    Row{Operation::reduce_scatter, Algorithm::recursive_doubling, 2 * KiB, any_ranks},
    Row{Operation::reduce_scatter, Algorithm::shm_cico, any_size, any_ranks},
    Row{Operation::reduce_scatter, Algorithm::pairwise, any_size, any_ranks},
    Row{Operation::reduce_scatter, Algorithm::recursive_halving, any_size, any_ranks},
    Row{Operation::reduce_scatter, Algorithm::ring, any_size, any_ranks},
    Row{Operation::reduce_scatter_block, Algorithm::shm_linear, any_size, few_ranks},
    Row{Operation::reduce_scatter_block, Algorithm::shm_linear, short_most, any_ranks},
    Row{Operation::reduce_scatter_block, Algorithm::recursive_doubling, 2 * KiB, any_ranks},
    Row{Operation::reduce_scatter_block, Algorithm::shm_cico, any_size, any_ranks},
    Row{Operation::reduce_scatter_block, Algorithm::pairwise, any_size, any_ranks},
    Row{Operation::reduce_scatter_block, Algorithm::recursive_halving, any_size, any_ranks},
    Row{Operation::reduce_scatter_block, Algorithm::ring, any_size, any_ranks},
    // At 8 KiB recursive_doubling is at 2.7 and 2.1; at 16 KiB the chain is at 2.8 and 1.3, and more beyond.
    Row{Operation::scan, Algorithm::shm_linear, short_most, any_ranks},
    Row{Operation::scan, Algorithm::recursive_doubling, short_most, any_ranks},
    Row{Operation::scan, Algorithm::chain, any_size, any_ranks},
    Row{Operation::exscan, Algorithm::shm_linear, short_most, any_ranks},
    Row{Operation::exscan, Algorithm::recursive_doubling, short_most, any_ranks},
    Row{Operation::exscan, Algorithm::chain, any_size, any_ranks},

    // Sizes are of what goes from one rank to another. With dense data and 2 ranks, against the better of
    // MPICH and Open MPI, cma reaches 1.8 to 2.6 for gather from 32 KiB to 8 MiB and 1.5 at 16, 1.2 to 2.2
    // for scatter from 16 KiB to 8 MiB and 1.0 at 16, 0.9 to 1.7 for alltoall; where MPICH takes 7.4 us for
    // 16 KiB, 1.2 to 1.5, and 1.4 to 2.6 up to 256 KiB. Against blocking native MPI shm_linear reaches 2 for
    // alltoall up to 8 KiB; for gather and scatter 1.1 to 1.2 up to 512 bytes where the root changes, 0.6 to
    // 1 where it does not; between processors that share no cache 1.7 at 4 KiB, 2.2 at 8, and for gather 2.9
    // at 16, where cma is at 1.6. With more ranks than processors figures scatter a hundredfold: shm_linear
    // gather and alltoall took less than linear and pairwise in most runs, scatter more. With dense data
    // pairwise is at 0.7 to 1.0 up to 8 KiB, where the non-blocking form, which native would be, is at 0.5 to
    // 0.9, and at 0.93 to 1.6 beyond; with vectors of single doubles at 0.9 to 1.3 up to 8 KiB, 6 to 11 from
    // 32 KiB to 4 MiB.
    // On 4 to 16 hosts of one rank, at 100 Mbit/s, linear is at 1.5 to 5 for gather from 8 bytes to 64 KiB,
    // and for scatter at 0.85 to 1.2 up to 512 bytes, 1.5 to 1.7 at 4 KiB, 1.0 at 64; binomial, which MPICH
    // takes, too, at 0.8 to 1.2 and 0.87 to 1.1. It is for more ranks than could be measured. Of larger
    // blocks it has nothing to gain: the link is busy for longer than the root is with their messages.
    Row{Operation::gather, Algorithm::shm_linear, 16 * KiB, any_ranks},
    Row{Operation::gather, Algorithm::cma, any_size, any_ranks},
    Row{Operation::gather, Algorithm::linear, any_size, few_ranks},
    Row{Operation::gather, Algorithm::native, little, any_ranks},
    Row{Operation::gather, Algorithm::linear, any_size, any_ranks},
    Row{Operation::gather, Algorithm::binomial, short_most, any_ranks},
    Row{Operation::scatter, Algorithm::shm_linear, short_most, any_ranks},
    Row{Operation::scatter, Algorithm::cma, any_size, any_ranks},
    Row{Operation::scatter, Algorithm::linear, any_size, few_ranks},
    Row{Operation::scatter, Algorithm::native, little, any_ranks},
    Row{Operation::scatter, Algorithm::linear, any_size, any_ranks},
    Row{Operation::scatter, Algorithm::binomial, short_most, any_ranks},
    Row{Operation::alltoall, Algorithm::shm_linear, short_most, any_ranks},
    Row{Operation::alltoall, Algorithm::cma, any_size, any_ranks},
    Row{Operation::alltoall, Algorithm::pairwise, any_size, few_ranks},
    Row{Operation::alltoall, Algorithm::native, little, any_ranks},
    Row{Operation::alltoall, Algorithm::pairwise, any_size, any_ranks},
    Row{Operation::alltoall, Algorithm::bruck, any_size, any_ranks},

    // Sizes are of the contributions of all ranks. Against blocking native MPI shm_linear is at 1.1 to 1.4 up
    // to 16 KiB and 2.1 at 32, where cma is at 1.5; pairwise is at 0.6 to 1.
    Row{Operation::allgather, Algorithm::shm_linear, 32 * KiB, any_ranks},
    Row{Operation::allgather, Algorithm::cma, any_size, any_ranks},
    Row{Operation::allgather, Algorithm::pairwise, any_size, few_ranks},
    Row{Operation::allgather, Algorithm::native, little, any_ranks},
    Row{Operation::allgather, Algorithm::pairwise, any_size, any_ranks},
    Row{Operation::allgather, Algorithm::bruck, short_most, any_ranks},
    Row{Operation::allgather, Algorithm::recursive_doubling, any_size, any_ranks},
    Row{Operation::allgather, Algorithm::ring, any_size, any_ranks},
    Row{Operation::allgather, Algorithm::bruck, any_size, any_ranks},
    Row{Operation::allgatherv, Algorithm::shm_linear, 16 * KiB, any_ranks},
    Row{Operation::allgatherv, Algorithm::cma, any_size, any_ranks},
    Row{Operation::allgatherv, Algorithm::pairwise, any_size, few_ranks},
    Row{Operation::allgatherv, Algorithm::native, little, any_ranks},
    Row{Operation::allgatherv, Algorithm::pairwise, any_size, any_ranks},
    Row{Operation::allgatherv, Algorithm::recursive_doubling, any_size, any_ranks},
    Row{Operation::allgatherv, Algorithm::ring, any_size, any_ranks},
    Row{Operation::allgatherv, Algorithm::bruck, any_size, any_ranks},

    // Ranks do not know the same sizes, so the sizes count as 0.
    Row{Operation::gatherv, Algorithm::cma, any_size, any_ranks},
    Row{Operation::gatherv, Algorithm::linear, any_size, any_ranks},
    Row{Operation::scatterv, Algorithm::cma, any_size, any_ranks},
    Row{Operation::scatterv, Algorithm::linear, any_size, any_ranks},
    Row{Operation::alltoallv, Algorithm::cma, any_size, any_ranks},
    Row{Operation::alltoallv, Algorithm::pairwise, any_size, any_ranks},
    Row{Operation::alltoallw, Algorithm::cma, any_size, any_ranks},
    Row{Operation::alltoallw, Algorithm::pairwise, any_size, any_ranks},

    // Non-blocking operations. Sizes are those of a rank's contribution; times are of one that is waited for.
    // Iallreduce is at 1.3 to 1.4 from 64 KiB to 8 MiB; at 64 KiB, 256 KiB, 1 MiB and 8 ireduce is at 1.8,
    // 3.0, 1.7 and 1.3, ireduce_scatter_block at 2.5, 2.6, 2.1 and 1.5, iscan at 2.8, 2.8, 3.4 and 12. With 4
    // ranks on two processors iallreduce is at 6. Each rank reads all that the others contribute, which is
    // too much where they are many.
    Row{Operation::iallreduce, Algorithm::native, 64 * KiB - 1, any_ranks},
    Row{Operation::iallreduce, Algorithm::cma, any_size, most_readers},
    Row{Operation::ireduce, Algorithm::native, 64 * KiB - 1, any_ranks},
    Row{Operation::ireduce, Algorithm::cma, any_size, most_readers},
    Row{Operation::ireduce_scatter, Algorithm::native, 64 * KiB - 1, any_ranks},
    Row{Operation::ireduce_scatter, Algorithm::cma, any_size, most_readers},
    Row{Operation::ireduce_scatter_block, Algorithm::native, 64 * KiB - 1, any_ranks},
    Row{Operation::ireduce_scatter_block, Algorithm::cma, any_size, most_readers},
    Row{Operation::iscan, Algorithm::native, 64 * KiB - 1, any_ranks},
    Row{Operation::iscan, Algorithm::cma, any_size, most_readers},
    Row{Operation::iexscan, Algorithm::native, 64 * KiB - 1, any_ranks},
    Row{Operation::iexscan, Algorithm::cma, any_size, most_readers},
};

constexpr auto built_in = [] {
  std::array<std::span<const Row>, static_cast<std::size_t>(Operation::operations)> by_operation;
  for (std::size_t index = 0; index < by_operation.size(); ++index)
    by_operation[index] = rows_of(table, static_cast<Operation>(index));
  return by_operation;
}();

} // namespace

std::span<const Row> built_in_rows(Operation operation) noexcept {
  return built_in[static_cast<std::size_t>(operation)];
}

} // namespace helper::collective
