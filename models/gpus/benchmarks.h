// The field "benchmarks" of a GPU model's JSON, which is optional: numbers fitted to the times of
// benchmark matrices on this GPU, by paper, kernel, law of row lengths and value type:
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

// Every number of a model must be present and within its range, and no other field may appear.
// Otherwise the error is badInput and names `origin` and the field. The result is in the order of
// kernels, laws and types.
llvm::Expected<Benchmarks> readBenchmarks(const llvm::json::Value &field, llvm::StringRef origin);

// readBenchmarks() reads this text back to the same bits, except that -0 becomes 0.
llvm::json::Value benchmarksJson(const Benchmarks &benchmarks);

} // namespace specmv
