// Solves by conjugate gradients in several processes, on a GPU each or on the host: MPI starts
// them, each has a block of the rows, and before a product NCCL or MPI brings the elements of the
// vector that other ranks own. The parts are in distributed/; `mpiexec -n 2 distributed_cg --help`
// lists the options.
#include "distributed/report.h"

#include <cmath>

using namespace distributed;

namespace {

// --- Conjugate gradients

// Iterates from x = 0.
void iterate(const Options &o, DistributedProduct &a, const Vectors &v, double *x, double *r,
             const Wide &p, double *q, Solution &s) {
  double rr = v.dot(r, r);
  s.history = {std::sqrt(rr)};
  s.norm = s.history[0];
  while (s.history.back() > o.tolerance * s.norm && s.iterations < o.iterations) {
    a.multiply(p.all, q);
    const double pq = v.dot(p.own, q);
    if (!(pq > 0)) {
      s.error = "the matrix is not positive definite: p . A p = " + std::to_string(pq) +
                " in iteration " + std::to_string(s.iterations + 1);
      return;
    }
    v.axpy(-rr / pq, q, r);
    v.beginDot(r, r);
    v.axpy(rr / pq, p.own, x);
    const double next = v.endDot();
    v.xpby(r, next / rr, p.own);
    rr = next;
    ++s.iterations;
    s.history.push_back(std::sqrt(rr));
  }
}

Solution solve(const Options &o, const Ranks &ranks, DistributedProduct &a, const Vectors &v,
               const Place &place, const Partition &part) {
  const Wide p(place, part);
  const Buffer x = allocate(place, part.own), r = allocate(place, part.own),
               q = allocate(place, part.own);
  std::vector<double> b(part.own); // not symmetric, so that no error of an exchange hides
  for (int64_t i = 0; i < part.own; ++i)
    b[i] = 1 + 0.125 * static_cast<double>((part.begin + i) % 7);
  v.fill(x.get(), std::vector<double>(part.own));
  v.fill(r.get(), b);
  v.fill(p.own, b);
  Solution s;
  meet(ranks);
  const double begin = MPI_Wtime();
  iterate(o, a, v, x.get(), r.get(), p, q.get(), s);
  v.wait("the last iteration");
  const double seconds = MPI_Wtime() - begin;
  meet(ranks);
  s.seconds = ofAll(seconds, MPI_MAX);
  // The residual is computed once more, since the iterations only update it.
  v.copy(x.get(), p.own);
  a.multiply(p.all, q.get());
  v.fill(r.get(), b);
  v.axpy(-1, q.get(), r.get());
  s.residual = std::sqrt(v.dot(r.get(), r.get())) / (s.norm > 0 ? s.norm : 1);
  return s;
}

// --- The program

// Times the product, and on a GPU when its parts end.
void timeProduct(DistributedProduct &a, const Ranks &ranks, const Place &place,
                 const Partition &part, const Vectors &vectors, Facts &facts) {
  const Wide x(place, part);
  const Buffer y = allocate(place, part.own);
  const Marks marks(place);
  vectors.fill(x.own, std::vector<double>(part.own));
  facts.productUs = a.timeOf([&] { a.multiply(x.all, y.get()); });
  meet(ranks);
  a.multiply(x.all, y.get(), &marks);
  vectors.wait("the marked product");
  facts.localEnd = usBetween(place, marks.begin, marks.local);
  facts.exchangeEnd = usBetween(place, marks.begin, marks.exchange);
  facts.end = usBetween(place, marks.begin, marks.end);
}

// Rank 0 says what is wrong with the call; all ranks end with this status.
int refuse(const Ranks &ranks, const std::string &why, int status) {
  if (ranks.rank == 0)
    std::fprintf(stderr, "error: %s\n", why.c_str());
  return status;
}

// Solves, and prints on rank 0. Returns the exit status.
int solveAndTell(const Options &o, const Ranks &ranks, const Place &place, const Partition &part,
                 DistributedProduct &a, const Vectors &vectors, Facts &facts) {
  if (ranks.rank == 0 && !o.json)
    tell(o, ranks, place, part, a, facts);
  Solution best;
  for (int64_t i = 0; i < o.repeat; ++i) {
    Solution s = solve(o, ranks, a, vectors, place, part);
    if (i == 0 || s.seconds < best.seconds)
      best = std::move(s);
    if (!best.error.empty())
      return refuse(ranks, best.error, 1);
  }
  if (o.json)
    timeProduct(a, ranks, place, part, vectors, facts);
  if (ranks.rank == 0 && !o.json)
    tell(best);
  if (ranks.rank == 0 && o.json)
    tellJson(o, ranks, place, part, a, facts, best);
  if (ranks.rank == 0 && !o.residuals.empty() && !writeHistory(o.residuals, best.history))
    return refuse(ranks, "cannot write " + o.residuals, 1);
  if (!(best.residual <= 10 * o.tolerance) && o.tolerance > 0)
    return refuse(ranks, "the residual is above 10 times the tolerance", 1);
  return 0;
}

// Rank 0 will write the residuals. All ranks learn whether it can before they begin.
bool canWriteResiduals(const Options &o, const Ranks &ranks) {
  const bool can =
      ranks.rank != 0 || o.residuals.empty() || std::ofstream(o.residuals, std::ios::app).is_open();
  return ofAll(int64_t{can}, MPI_MIN) != 0;
}

int run(const Options &o, const Ranks &ranks) {
  if (!canWriteResiduals(o, ranks))
    return refuse(ranks, "--residuals: cannot write " + o.residuals, 2);
  const RowSource source = rowsOf(o.matrix);
  if (ofAll(int64_t{!source.error.empty()}, MPI_MAX) != 0)
    return refuse(ranks,
                  source.error.empty() ? "another rank cannot read " + o.matrix : source.error, 2);
  const Place place = openPlace(ranks, o.target);
  if (o.target == Target::gpu && !place.onGpu)
    return refuse(ranks, "not every rank has a GPU; --target host needs none", 3);
  const Messenger messenger(ranks, place, o.exchange);
  if (o.exchange == Way::nccl && !messenger.whyNot.empty())
    return refuse(ranks, "--exchange nccl: " + messenger.whyNot + "; use --exchange mpi", 3);
  const double begin = MPI_Wtime();
  const Partition part = divide(source, ranks);
  const Vectors vectors(ranks, place, messenger.nccl, part.own);
  DistributedProduct a(source, ranks, place, messenger.nccl, part, vectors, o.overlap,
                       o.formats.empty() ? nullptr : o.formats.c_str());
  Facts facts;
  facts.messages = messenger.whyNot.empty() ? "NCCL" : "MPI: " + messenger.whyNot;
  facts.plan = a.planText();
  facts.mostOwn = ofAll(part.own, MPI_MAX);
  facts.mostHalo = ofAll(static_cast<int64_t>(part.halo.size()), MPI_MAX);
  facts.setupMs = ofAll((MPI_Wtime() - begin) * 1e3, MPI_MAX);
  return solveAndTell(o, ranks, place, part, a, vectors, facts);
}

} // namespace

int main(int argc, char **argv) {
  int threads = MPI_THREAD_SINGLE; // only this thread calls MPI, and MPI need not promise more
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  Ranks ranks = openRanks();
  const Options options = parse({argv + 1, argv + argc});
  ranks.timeoutSeconds = options.timeout;
  int status = 0;
  if (!options.error.empty())
    status = refuse(ranks, options.error, 2);
  else if (!options.help)
    status = run(options, ranks);
  else if (ranks.rank == 0)
    std::fputs(kHelp, stdout);
  MPI_Comm_free(&ranks.node);
  MPI_Finalize();
  return status;
}
