// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// An MPI program that does not call the library. It prints lines of a name and nanoseconds. Without an
// argument they are of calls that have nothing to do: the fastest of many batches, since disturbances only
// slow a batch down. With an argument they are the processor time of calls of two ranks while receives are
// outstanding; a name has their number.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <mpi.h>
#include <string>
#include <vector>

namespace {

template <class Call>
void measure_batches(const char* function, const Call& call) {
  constexpr int batches = 200, calls = 10000;
  double fastest = 1e9;
  for (int batch = 0; batch < batches; ++batch) {
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i) call();
    fastest = std::min(fastest, MPI_Wtime() - start);
  }
  std::printf("%s %.3f\n", function, fastest / calls * 1e9);
}

/// Many receives from the other rank: of contiguous doubles, or of a vector with a gap after each double.
class Outstanding {
public:
  Outstanding(int count, bool is_vector)
      : count_(count), suffix_(is_vector ? ",vectors" : ""), data_(room * static_cast<std::size_t>(count)),
        requests_(static_cast<std::size_t>(count), MPI_REQUEST_NULL) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    if (!is_vector) return;
    MPI_Type_vector(doubles, 1, 2, MPI_DOUBLE, &type_);
    MPI_Type_commit(&type_);
    elements_ = 1;
  }

  void find_nothing() {
    post();
    int index, flag;
    print("MPI_Testany", 100 + 200000 / (count_ + 10),
          [&] { MPI_Testany(count_, requests_.data(), &index, &flag, MPI_STATUS_IGNORE); });
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void flush(MPI_Win window) {
    const double one = 1;
    MPI_Win_lock_all(0, window);
    print("MPI_Put+MPI_Win_flush", 500, [&] {
      MPI_Put(&one, 1, MPI_DOUBLE, 1 - rank_, 0, 1, MPI_DOUBLE, window);
      MPI_Win_flush(1 - rank_, window);
    });
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    send();
    MPI_Waitall(count_, requests_.data(), MPI_STATUSES_IGNORE);
  }
  /// A small number of receives takes several rounds. The first one has cold caches and does not count.
  void wait(bool for_some) {
    const int rounds = 1 + 2000 / count_;
    std::vector<int> indices(requests_.size());
    std::vector<MPI_Status> statuses(requests_.size());
    double time = 0;
    for (int round = 0; round <= rounds; ++round) {
      post();
      send();
      const double start = now();
      for (int left = count_, completed = 1; left > 0; left -= completed)
        if (for_some)
          MPI_Waitsome(count_, requests_.data(), &completed, indices.data(), statuses.data());
        else
          MPI_Waitany(count_, requests_.data(), indices.data(), MPI_STATUS_IGNORE);
      if (round > 0) time += (now() - start) / count_;
    }
    print(for_some ? "MPI_Waitsome" : "MPI_Waitany", time / rounds);
  }

private:
  static constexpr int doubles = 256;
  static constexpr std::size_t room = 2 * doubles;

  static double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  }

  void print(const char* function, double nanoseconds) const {
    if (rank_ == 0) std::printf("%s,%d%s %.1f\n", function, count_, suffix_, nanoseconds);
  }
  template <class Call>
  void print(const char* function, int calls, const Call& call) const {
    const double start = now();
    for (int i = 0; i < calls; ++i) call();
    print(function, (now() - start) / calls);
  }

  void post() {
    for (int i = 0; i < count_; ++i)
      MPI_Irecv(&data_[room * static_cast<std::size_t>(i)], elements_, type_, 1 - rank_, i, MPI_COMM_WORLD,
                &requests_[static_cast<std::size_t>(i)]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  /// All messages have arrived before the receiver begins.
  void send() {
    static const double sent[room]{};
    for (int i = 0; i < count_; ++i) MPI_Send(sent, elements_, type_, 1 - rank_, i, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  int rank_ = 0, count_;
  const char* suffix_;
  std::vector<double> data_;
  std::vector<MPI_Request> requests_;
  int elements_ = doubles; ///< of a message
  MPI_Datatype type_ = MPI_DOUBLE;
};

void measure_outstanding() {
  double* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int count = 10; count <= 10000; count *= 10) {
    for (const bool is_vector : {false, true}) {
      Outstanding receives(count, is_vector);
      if (!is_vector) {
        receives.find_nothing();
        receives.flush(window);
      }
      for (const bool for_some : {false, true}) receives.wait(for_some);
    }
  }
  MPI_Win_free(&window);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1) {
    measure_outstanding();
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    measure_batches("MPI_Wait", [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); });
    measure_batches("MPI_Send", [] { MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); });
    measure_batches("MPI_Probe", [] { MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
  }
  MPI_Finalize();
}
