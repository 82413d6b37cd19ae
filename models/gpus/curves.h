// The field "curves" of a GPU model's JSON, which is optional, and of the output lines of
// calibrate: measurements of the GPU by itself (models/curves.h). No choice depends on it:
//   {"source": "specmv calibrate, 2026-11-22, ...", "copyGBs": 4247,
//    "periodUs": {"median": 2.1, "p10": 2.1, "p90": 2.2}, "roundTripUs": {...},
//    "replayPeriodUs": {...}, "replayTripUs": {...},
//    "stream": [{"bytes": 1048576, "warmGBs": 6100, "coldGBs": 300}, ...],
//    "gather": [{"bytes": 16777216, "valueBytes": 4, "together": 1, "sectorGBs": 4500}, ...],
//    "chase": [{"bytes": 16384, "ns": 20}, ...],
//    "shared": [{"valueBytes": 4, "warpNs": 2}, ...]}
#pragma once

#include "models/curves.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace specmv {

constexpr const char *kCurvesField = "curves";

// Every field except the two for replays must be present, and no other field may appear. Each
// number must be within its range, and the points of a curve must be in ascending order of bytes.
// Otherwise the error is badInput and names `origin`, the field and the number at fault.
llvm::Expected<Curves> readCurves(const llvm::json::Value &field, llvm::StringRef origin);

// readCurves() reads this text back to the same bits.
llvm::json::Value curvesJson(const Curves &curves);

} // namespace specmv
