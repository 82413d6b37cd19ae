// The field "benchmarks" of a GPU model's JSON, which a GPU may lack: what was fitted to the times
// of benchmark matrices on it, by paper, kernel, law of row lengths and value type:
//   {"source": "specmv calibrate, 2026-11-22, ...",
//    "strips.coo.fixed.f64": {"slope": 1.5, "intercept": 2},
//    "strips.ell.fixed.f64": {"x1": 64, "fSlope": 0.5, "fIntercept": -1, "eSlope": ..., ...},
//    "statistics.csr-v.normal.f32": {"upTo1024": {"i": 40, "z": 64, "a": ..., ..., "t1": 7},
//                                    "above1024": {...}}, ...}
#pragma once

#include "models/predict/strips/fitted.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace specmv {

constexpr const char *kBenchmarksField = "benchmarks";

// All numbers of a model must be there, each within its range, and nothing else: badInput, naming
// `origin` and the field. In the order of kernels, laws and types.
llvm::Expected<Benchmarks> readBenchmarks(const llvm::json::Value &field, llvm::StringRef origin);

// What readBenchmarks() reads back to the bit, but for -0, which becomes 0.
llvm::json::Value benchmarksJson(const Benchmarks &benchmarks);

} // namespace specmv
