// Numbers that are fitted to the times of benchmark matrices on one GPU, for the models of strips
// (Guo and Wang 2012) and statistics (Wang, Gu and Li 2017). strips.h defines how they predict a
// time. Letters are the papers': I strips, P_NZ entries per row, x a P_NZ, y an I. Times are
// microseconds.
#pragma once

#include "models/csr.h"

#include <string>
#include <variant>
#include <vector>

namespace specmv {

// The kernels of both papers; the table in kernels.h describes how the models treat each.
enum class StripsKernel : uint8_t { csr, ell, coo, hyb, csrV, csrS, ellOfStatistics, jad };

// The law of a benchmark matrix's row lengths: `dist` of the family rowlengths.
enum class RowLaw : uint8_t { fixed, poisson, uniform, normal };
constexpr RowLaw kRowLaws[] = {RowLaw::fixed, RowLaw::poisson, RowLaw::uniform, RowLaw::normal};
const char *nameOf(RowLaw law);

// COO: T = slope y + intercept.
struct LineModel {
  double slope = 0, intercept = 0;
  bool operator==(const LineModel &) const = default;
};

// ELL, CSR-S and JAD: at y strips the time grows with P_NZ by f(y) = fSlope y + fIntercept, and at
// P_NZ = x1 it is e(y) = eSlope y + eIntercept.
struct PlaneModel {
  double x1 = 0;
  double fSlope = 0, fIntercept = 0;
  double eSlope = 0, eIntercept = 0;
  bool operator==(const PlaneModel &) const = default;
};

// CSR and CSR-V, one of two regimes: T = a x + b at `i` strips, T' = c y + d at P_NZ = z, and t1,
// the measured time of the benchmark matrix at which both lines cross.
struct RatioLines {
  double i = 0, z = 0;
  double a = 0, b = 0;
  double c = 0, d = 0;
  double t1 = 0;
  bool operator==(const RatioLines &) const = default;
};

// The P_NZ where the regimes meet: the maximum number of threads per block on the papers' GPUs.
constexpr int64_t kRegimeEnd = 1024;

struct RatioModel {
  RatioLines upTo1024, above1024;
  bool operator==(const RatioModel &) const = default;
};

struct Fitted {
  StripsKernel kernel = StripsKernel::csr;
  RowLaw law = RowLaw::fixed;
  ValueType type = ValueType::f64;
  std::variant<LineModel, PlaneModel, RatioModel> model;
  bool operator==(const Fitted &) const = default;
};

// The largest absolute value of a fitted number, so that no time of the models is infinite.
constexpr double kMostFitted = 1e30;

// The measurements on one GPU.
struct Benchmarks {
  std::string source;         // command, date, GPU and driver
  std::vector<Fitted> fitted; // at most one per kernel, law and type
  bool operator==(const Benchmarks &) const = default;
};

} // namespace specmv
