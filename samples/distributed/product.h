// The distributed product y = A x has two ways, and a model chooses one.
#ifndef SPECMV_SAMPLES_DISTRIBUTED_PRODUCT_H
#define SPECMV_SAMPLES_DISTRIBUTED_PRODUCT_H

#include "exchange.h"
#include "vectors.h"

namespace distributed {

enum class Overlap { automatic, yes, no };

// The times are microseconds on the slowest rank.
struct Times {
  double whole = 0, local = 0, halo = 0, exchange = 0;

  // The exchange comes first, then the product of whole rows.
  double inTurn() const { return exchange + whole; }
  // The local product hides the exchange, or the other way round. The product with the halo has
  // launches and passes of its own over y, which `halo` contains.
  double overlapped() const { return std::max(local, exchange) + halo; }
};

// A wide vector has the rank's own elements and the halo around them. The own ones begin at a
// multiple of 256 bytes, as those of other vectors do.
struct Wide {
  Wide(const Place &place, const Partition &p)
      : memory(allocate(place, p.wide() + kAlign)),
        all(memory.get() + (kAlign - p.before % kAlign)), own(all + p.before) {}
  static constexpr int64_t kAlign = 256 / sizeof(double);
  Buffer memory;
  double *all, *own;
};

// These events on a GPU tell when the parts of a product end.
struct Marks {
  explicit Marks(const Place &place)
      : begin(makeEvent(place, true)), local(makeEvent(place, true)),
        exchange(makeEvent(place, true)), end(makeEvent(place, true)) {}
  void *begin, *local, *exchange, *end;
};

class DistributedProduct {
public:
  DistributedProduct(const RowSource &source, const Ranks &ranks, const Place &place,
                     const Nccl &nccl, const Partition &partition, const Vectors &vectors,
                     Overlap wanted, const char *formats)
      : ranks_(ranks), place_(place), partition_(partition), vectors_(vectors),
        context_(openContext(ranks)), exchange_(ranks, place, nccl, partition, context_, formats) {
    const Csr rows = ownRows(source, ranks.threads, partition);
    talks = ofAll(exchange_.received(), MPI_MAX) > 0;
    if (wanted == Overlap::automatic && !talks)
      wanted = Overlap::no;
    if (wanted != Overlap::yes)
      whole_ = Product(rows, place, context_, formats, false);
    if (wanted != Overlap::no)
      split(rows, ranks.threads, formats);
    if (wanted == Overlap::automatic)
      choose();
  }
  ~DistributedProduct() { specmvDestroyContext(context_); }
  DistributedProduct(const DistributedProduct &) = delete;
  DistributedProduct &operator=(const DistributedProduct &) = delete;

  // y = A x for a wide x, whose halo is made here.
  void multiply(double *wide, double *y, const Marks *marks = nullptr) {
    mark(marks, &Marks::begin, place_.compute);
    exchange_.begin(wide);
    if (overlaps())
      multiplyOwn(wide, y);
    mark(marks, &Marks::local, place_.compute);
    exchange_.finish(wide);
    mark(marks, &Marks::exchange, place_.exchange);
    if (overlaps())
      addHalo(wide, y);
    else
      whole_.multiply(wide, y, place_.compute);
    mark(marks, &Marks::end, place_.compute);
  }

  bool overlaps() const { return static_cast<bool>(local_); }
  std::string planText() const { return overlaps() ? local_.text() : whole_.text(); }

  // Times something that puts work on the streams. The second run of two counts, since the first
  // may load kernels.
  template <class Work> double timeOf(const Work &work) const {
    constexpr int kTimes = 20;
    double begin = 0;
    for (int run = 0; run < 2; ++run) {
      vectors_.wait("what is timed");
      meet(ranks_);
      begin = MPI_Wtime();
      for (int time = 0; time < kTimes; ++time)
        work();
      vectors_.wait("what is timed");
    }
    const double us = (MPI_Wtime() - begin) / kTimes * 1e6;
    meet(ranks_);
    return ofAll(us, MPI_MAX);
  }

  Times times;        // measured for the choice; 0: not measured
  bool talks = false; // whether any rank has a halo

private:
  struct HaloPart {
    int64_t firstRow;
    Product product;
  };

  void split(const Csr &rows, int threads, const char *formats) {
    const int begin = static_cast<int>(partition_.before);
    const int end = static_cast<int>(partition_.before + partition_.own);
    const auto isOwn = [=](int col) { return col >= begin && col < end; };
    local_ = Product(select(rows, threads, 0, rows.rows, isOwn), place_, context_, formats, false);
    for (const auto &[first, last] : rowsWithHalo(rows, partition_)) {
      const Csr part = select(rows, threads, first, last, [=](int col) { return !isOwn(col); });
      halo_.push_back({first, Product(part, place_, context_, formats, true)});
    }
  }

  void mark(const Marks *marks, void *Marks::*which, void *stream) const {
    if (marks)
      record(place_, marks->*which, stream);
  }

  void multiplyOwn(const double *wide, double *y) const {
    local_.multiply(wide, y, place_.compute);
  }
  void addHalo(const double *wide, double *y) const {
    for (const HaloPart &part : halo_)
      part.product.multiply(wide, y + part.firstRow, place_.compute);
  }

  // Times the parts once, since predictions err by more than what overlapping gains. All ranks
  // choose alike: the times are those of the slowest one. The plans that lose are freed.
  void choose() {
    const Wide x(place_, partition_);
    const Buffer result = allocate(place_, partition_.own);
    double *wide = x.all, *y = result.get();
    vectors_.fill(wide, std::vector<double>(partition_.wide()));
    ofAll(int64_t{0}, MPI_MAX); // waits until all ranks have their plans, however long that takes
    times.whole = timeOf([&] { whole_.multiply(wide, y, place_.compute); });
    times.local = timeOf([&] { multiplyOwn(wide, y); });
    times.halo = timeOf([&] { addHalo(wide, y); });
    times.exchange = timeOf([&] {
      exchange_.begin(wide);
      exchange_.finish(wide);
    });
    if (times.overlapped() < times.inTurn())
      whole_ = {};
    else
      local_ = {}, halo_.clear();
  }

  const Ranks &ranks_;
  const Place &place_;
  const Partition &partition_;
  const Vectors &vectors_;
  specmvContext_t context_;
  Exchange exchange_;
  Product whole_, local_;
  std::vector<HaloPart> halo_;
};

} // namespace distributed

#endif
