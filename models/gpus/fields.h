// The fields of a GPU model's JSON: single ones, and the tables of all.
#pragma once

#include "models/base/error.h"
#include "models/curves.h"
#include "models/gpu.h"
#include "models/predict/strips/fitted.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace specmv {

// --- Fields --------------------------------------------------------------------------------------

// Reads single fields of a GPU model's JSON and reports the one at fault.

// The allowed values of a number: wide enough for any GPU, narrow enough that no time becomes
// infinite.
struct NumberRange {
  double least, most;
};

constexpr NumberRange kGBs{1e-3, 1e9}, kGHz{1e-6, 1e6}, kUsOrNs{1e-9, 1e9}, kTimes{1e-3, 1e6},
    kAnyRate{1e-6, 1e9};

// A number of a JSON object that is stored in a member of a struct.
template <class T> struct NumberField {
  const char *name;
  double T::*member;
  NumberRange range;
};

// Reads the value of a field. `name` is its name in messages, such as "rates.ell.a".
llvm::Expected<double> readNumber(const llvm::json::Value &value, llvm::StringRef name,
                                  const NumberRange &range, llvm::StringRef origin);

// Reads a string that is not empty and is printable. A null `value` means that the field is
// missing.
llvm::Expected<std::string> readText(const llvm::json::Value *value, llvm::StringRef name,
                                     llvm::StringRef origin);

// Reads an object. A null `value` means that the field is missing.
llvm::Expected<const llvm::json::Object *> readObject(const llvm::json::Value *value,
                                                      llvm::StringRef name, llvm::StringRef origin);

// Fails if the object `name` has a member that is not in `names`.
llvm::Error refuseOthers(const llvm::json::Object &object, llvm::ArrayRef<llvm::StringRef> names,
                         llvm::StringRef name, llvm::StringRef origin);

// Reads the members that the table lists from the object `name`. Each must be present.
template <class T, size_t n>
llvm::Error readMembers(const llvm::json::Object &object, const NumberField<T> (&table)[n],
                        llvm::StringRef name, llvm::StringRef origin, T &out) {
  for (const NumberField<T> &number : table) {
    const std::string full = (name + "." + number.name).str();
    const llvm::json::Value *value = object.get(number.name);
    if (!value)
      return fail(Status::badInput, "{0}: field '{1}' is missing", origin, full);
    auto read = readNumber(*value, full, number.range, origin);
    if (!read)
      return read.takeError();
    out.*number.member = *read;
  }
  return llvm::Error::success();
}

// Like readMembers(), but fails if the object has any other member.
template <class T, size_t n>
llvm::Error readNumbers(const llvm::json::Object &object, const NumberField<T> (&table)[n],
                        llvm::StringRef name, llvm::StringRef origin, T &out) {
  std::vector<llvm::StringRef> names;
  for (const NumberField<T> &number : table)
    names.emplace_back(number.name);
  if (llvm::Error error = refuseOthers(object, names, name, origin))
    return error;
  return readMembers(object, table, name, origin, out);
}

// readNumbers() reads this object back to the same bits, except that -0 becomes 0: JSON's -0 is
// read as the integer 0.
template <class T, size_t n>
llvm::json::Object numbersJson(const T &of, const NumberField<T> (&table)[n]) {
  llvm::json::Object out;
  for (const NumberField<T> &number : table)
    out[number.name] = of.*number.member + 0.0;
  return out;
}

// --- Benchmarks ----------------------------------------------------------------------------------

// The field "benchmarks" of a GPU model's JSON, which is optional: numbers fitted to the times of
// benchmark matrices on this GPU, by paper, kernel, law of row lengths and value type:
//   {"source": "specmv calibrate, 2026-11-22, ...",
//    "strips.coo.fixed.f64": {"slope": 1.5, "intercept": 2},
//    "strips.ell.fixed.f64": {"x1": 64, "fSlope": 0.5, "fIntercept": -1, "eSlope": ..., ...},
//    "statistics.csr-v.normal.f32": {"upTo1024": {"i": 40, "z": 64, "a": ..., ..., "t1": 7},
//                                    "above1024": {...}}, ...}

constexpr const char *kBenchmarksField = "benchmarks";

// Every number of a model must be present and within its range, and no other field may appear.
// Otherwise the error is badInput and names `origin` and the field. The result is in the order of
// kernels, laws and types.
llvm::Expected<Benchmarks> readBenchmarks(const llvm::json::Value &field, llvm::StringRef origin);

// readBenchmarks() reads this text back to the same bits, except that -0 becomes 0.
llvm::json::Value benchmarksJson(const Benchmarks &benchmarks);

// --- Curves --------------------------------------------------------------------------------------

// The field "curves" of a GPU model's JSON, which is optional, and of the output lines of
// calibrate: measurements of the GPU by itself (models/curves.h). No choice depends on it:
//   {"source": "specmv calibrate, 2026-11-22, ...", "copyGBs": 4247,
//    "periodUs": {"median": 2.1, "p10": 2.1, "p90": 2.2}, "roundTripUs": {...},
//    "replayPeriodUs": {...}, "replayTripUs": {...},
//    "stream": [{"bytes": 1048576, "warmGBs": 6100, "coldGBs": 300}, ...],
//    "gather": [{"bytes": 16777216, "valueBytes": 4, "together": 1, "sectorGBs": 4500}, ...],
//    "chase": [{"bytes": 16384, "ns": 20}, ...],
//    "shared": [{"valueBytes": 4, "warpNs": 2}, ...]}

constexpr const char *kCurvesField = "curves";

// Every field except the two for replays must be present, and no other field may appear. Each
// number must be within its range, and the points of a curve must be in ascending order of bytes.
// Otherwise the error is badInput and names `origin`, the field and the number at fault.
llvm::Expected<Curves> readCurves(const llvm::json::Value &field, llvm::StringRef origin);

// readCurves() reads this text back to the same bits.
llvm::json::Value curvesJson(const Curves &curves);

// --- Model fields --------------------------------------------------------------------------------

// The tables of the fields of a GPU model's JSON, used to read, write and hash it.

struct IntegerField {
  const char *name;
  int64_t GpuModel::*member;
  int64_t max; // keeps every product in the models within 64 bits
};
struct TextField {
  const char *name;
  std::string GpuModel::*member;
};
struct RatesField {
  const char *name;
  Rates GpuModel::*member;
};

constexpr TextField kTexts[] = {{"name", &GpuModel::name}, {"arch", &GpuModel::arch}};

constexpr NumberField<GpuModel> kReals[] = {
    {"pcieGBs", &GpuModel::pcieGBs, kGBs},
    {"intRate", &GpuModel::intRate, kGHz},
    {"singleRate", &GpuModel::singleRate, kGHz},
    {"doubleRate", &GpuModel::doubleRate, kGHz},
    {"memoryClockGHz", &GpuModel::memoryClockGHz, kGHz},
    {"dramGBs", &GpuModel::dramGBs, kGBs},
    {"l2GBs", &GpuModel::l2GBs, kGBs},
    {"gatherGBs", &GpuModel::gatherGBs, kGBs},
    {"launchUs", &GpuModel::launchUs, kUsOrNs},
    {"periodUs", &GpuModel::periodUs, kUsOrNs},
    {"loadNs", &GpuModel::loadNs, kUsOrNs},
    {"chainNs", &GpuModel::chainNs, kUsOrNs},
    {"waveNs", &GpuModel::waveNs, kUsOrNs},
    {"dramDelay", &GpuModel::dramDelay, kTimes},
};

constexpr IntegerField kIntegers[] = {
    {"busBits", &GpuModel::busBits, 1 << 20},
    {"cores", &GpuModel::cores, 1 << 30},
    {"warpSize", &GpuModel::warpSize, 1024},
    {"blockSize", &GpuModel::blockSize, 1 << 20},
    {"indexBytes", &GpuModel::indexBytes, 8},
    {"sms", &GpuModel::sms, 1 << 20},
    {"warpsPerSm", &GpuModel::warpsPerSm, 1 << 20},
    {"threadsPerSm", &GpuModel::threadsPerSm, 1 << 20},
    {"l2Bytes", &GpuModel::l2Bytes, int64_t{1} << 40},
    {"sharedBytesPerBlock", &GpuModel::sharedBytesPerBlock, 1 << 30},
};

constexpr RatesField kRates[] = {{"rates", &GpuModel::rates}, {"setup", &GpuModel::setup}};

} // namespace specmv
