// Rank 0 prints what is told here.
#ifndef SPECMV_SAMPLES_DISTRIBUTED_REPORT_H
#define SPECMV_SAMPLES_DISTRIBUTED_REPORT_H

#include "options.h"

namespace distributed {

struct Solution {
  int64_t iterations = 0;
  double seconds = 0, norm = 0, residual = 0; // |b|, and |b - A x| / |b|
  std::vector<double> history;                // |r| from the first one on
  std::string error;
};

struct Facts {
  std::string messages; // how they are exchanged
  std::string plan;
  int64_t mostHalo = 0, mostOwn = 0;
  double productUs = 0, setupMs = 0;
  // These say when the parts of one product ended on rank 0's GPU, in microseconds.
  double localEnd = 0, exchangeEnd = 0, end = 0;
};

// Says in one sentence why the product overlaps or not.
inline std::string reason(const Options &o, const DistributedProduct &a) {
  const Times &t = a.times;
  if (o.overlap != Overlap::automatic)
    return "as asked";
  if (!a.talks)
    return "no rank has a halo";
  char text[256];
  std::snprintf(text, sizeof text,
                "%.1f us a product are predicted, %.1f us %s (local product %.1f us, halo's %.1f, "
                "whole rows %.1f, exchange %.1f)",
                a.overlaps() ? t.overlapped() : t.inTurn(),
                a.overlaps() ? t.inTurn() : t.overlapped(),
                a.overlaps() ? "if the exchange came first" : "with overlap", t.local, t.halo,
                t.whole, t.exchange);
  return text;
}

// Prints what is known before the solution.
inline void tell(const Options &o, const Ranks &ranks, const Place &place, const Partition &part,
                 const DistributedProduct &a, const Facts &f) {
  std::printf("matrix     %s: %lld rows, %lld entries\n", o.matrix.c_str(),
              static_cast<long long>(part.firstRow.back()), static_cast<long long>(part.entries));
  std::printf("ranks      %d, on %s; at most %lld rows and %lld elements of the halo each\n",
              ranks.count, place.name.c_str(), static_cast<long long>(f.mostOwn),
              static_cast<long long>(f.mostHalo));
  std::printf("messages   %s\n", f.messages.c_str());
  std::printf("plan       %s\n", f.plan.c_str());
  std::printf("overlap    %s: %s\n", a.overlaps() ? "yes" : "no", reason(o, a).c_str());
  std::fflush(stdout);
}

inline double iterationUs(const Solution &s) {
  return s.seconds * 1e6 / static_cast<double>(std::max<int64_t>(1, s.iterations));
}

inline void tell(const Solution &s) {
  std::printf("solve      %lld iterations, %.1f us each\n", static_cast<long long>(s.iterations),
              iterationUs(s));
  std::printf("residual   %.3e\n", s.residual);
}

inline void tellJson(const Options &o, const Ranks &ranks, const Place &place,
                     const Partition &part, const DistributedProduct &a, const Facts &f,
                     const Solution &s) {
  const Times &t = a.times;
  std::printf("{\"matrix\":\"%s\",\"rows\":%lld,\"entries\":%lld,\"ranks\":%d,\"place\":\"%s\",",
              o.matrix.c_str(), static_cast<long long>(part.firstRow.back()),
              static_cast<long long>(part.entries), ranks.count, place.name.c_str());
  std::printf(
      "\"messages\":\"%s\",\"plan\":\"%s\",\"formats\":\"%s\",\"mostRows\":%lld,\"mostHalo\":%lld,",
      f.messages.c_str(), f.plan.c_str(), o.formats.c_str(), static_cast<long long>(f.mostOwn),
      static_cast<long long>(f.mostHalo));
  std::printf("\"overlap\":%s,\"overlapReason\":\"%s\",\"localUs\":%.2f,\"haloUs\":%.2f,"
              "\"wholeUs\":%.2f,\"exchangeUs\":%.2f,\"predictedOverlapUs\":%.2f,"
              "\"predictedInTurnUs\":%.2f,\"productUs\":%.2f,\"localEndUs\":%.2f,"
              "\"exchangeEndUs\":%.2f,\"endUs\":%.2f,",
              a.overlaps() ? "true" : "false", reason(o, a).c_str(), t.local, t.halo, t.whole,
              t.exchange, t.overlapped(), t.inTurn(), f.productUs, f.localEnd, f.exchangeEnd,
              f.end);
  std::printf("\"setupMs\":%.1f,\"iterations\":%lld,\"iterationUs\":%.2f,\"recurrence\":%.17g,"
              "\"residual\":%.17g}\n",
              f.setupMs, static_cast<long long>(s.iterations), iterationUs(s), s.history.back(),
              s.residual);
}

inline bool writeHistory(const std::string &path, const std::vector<double> &history) {
  std::ofstream out(path);
  out.precision(17);
  for (const double norm : history)
    out << norm << '\n';
  return static_cast<bool>(out.flush());
}

} // namespace distributed

#endif
