// Reads what a file of bench says of each matrix: the contenders with their times, and the choice.
#pragma once

#include "runtime/cli/bench/records.h"

#include <string>
#include <vector>

namespace specmv::cli {

// Products as launches one after another, or as replays of a graph, which bench times within L2.
enum class BenchTimes : uint8_t { launches, replays };

struct BenchContender {
  std::string format;
  bool isTheirs = false; // an algorithm of cuSPARSE
  bool isChosen = false;
  double us = 0, usReplay = 0; // 0: not timed so
  double predictedUs = 0;      // 0: not predicted

  double timeBy(BenchTimes times) const { return times == BenchTimes::launches ? us : usReplay; }
};

// One matrix in one type. Wrong products are no contenders.
struct BenchCase {
  std::string matrix, type;
  int64_t nnz = 0, csrBytes = 0;
  bool fitsL2 = false;
  std::vector<BenchContender> contenders = {};

  const BenchContender *chosen() const; // null if it was wrong, or not timed
  // Returns the fastest of ours, or of cuSPARSE; null if none was timed so.
  const BenchContender *fastest(bool isTheirs, BenchTimes times) const;
  // Returns how many times as long as the choice the best of cuSPARSE takes; 0 without either.
  double ratio(BenchTimes times) const;
  // Returns the time of the choice in times of the fastest of ours; 0 without a choice.
  double regret(BenchTimes times) const;
};

struct BenchFile {
  std::string path;
  llvm::json::Object session; // the last one
  std::vector<BenchRecord> records;
  std::vector<BenchCase> cases;

  int64_t l2Bytes() const { return session.getInteger("l2Bytes").value_or(0); }
  // The types that have cases, and for each whether a case has these times.
  std::vector<std::string> types() const;
  bool has(const std::string &type, BenchTimes times) const;
};

// Reads the file; refuses one of another kind, of several GPUs, with a wrong product of specmv, or
// without a timed product.
llvm::Expected<BenchFile> readBenchFile(const std::string &path);

const char *nameOf(BenchTimes times); // "launches" or "replays"

} // namespace specmv::cli
