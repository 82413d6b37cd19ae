// The kernels that the strips and statistics papers model, and the benchmark matrices that they
// measure for each.
#pragma once

#include "models/gpu.h"
#include "models/predict/strips/fitted.h"

#include <span>

namespace specmv {

// The unit that processes one row (COO: one entry) of a strip. The strip's size S is the number of
// such units that the GPU holds at a time.
enum class StripsUnit : uint8_t {
  warp,     // S = SMs x warps (strips, III-B.1)
  halfWarp, // S = SMs x half-warps (statistics, 1)
  lane,     // S = SMs x warps x threads of a warp (strips, III-B.2)
  thread,   // S = SMs x threads (strips, III-B.3; statistics, 2 and 3)
};

// The form in which a time depends on I and P_NZ; `sum` is HYB, which is ELL for K entries per row
// and COO for the rest.
enum class StripsForm : uint8_t { line, plane, ratio, sum };

// The P_NZ of a matrix whose rows differ in length (strips, III-E.2; statistics, 3.1).
enum class StripsRow : uint8_t { none, mode, longest };

// The benchmark matrix at which a line over P_NZ and a line over I cross.
struct Crossing {
  int64_t i = 0, z = 0;
};

// The lines to fit, which the papers leave open ("any arbitrary value within the range").
struct FitAt {
  Crossing upTo1024 = {}, above1024 = {}; // for the ratio form
  int64_t x1 = 0;                         // for the plane form
};

enum class StripsPaper : uint8_t { strips, statistics };
const char *nameOf(StripsPaper paper);

struct StripsKernelFacts {
  StripsKernel kernel;
  StripsPaper paper;
  const char *name;   // in the GPU models' JSON
  const char *title;  // as the paper writes it
  const char *format; // of the plans whose product is this kernel ...
  int64_t lanes;      // ... with this csr.lanes; 0: the plans have no lanes
  StripsForm form;
  StripsUnit unit;
  StripsRow row;
  FitAt at;
  // The benchmark matrices: each I with each P_NZ, and row lengths by one of the laws. If several
  // laws are fitted, the first is used.
  std::span<const int64_t> strips, entriesOfRow;
  std::span<const RowLaw> laws;
};

std::span<const StripsKernelFacts> stripsKernels();
const StripsKernelFacts &factsOf(StripsKernel kernel);

// The strip size S.
int64_t stripSize(StripsKernel kernel, const GpuModel &gpu);

struct BenchmarkMatrix {
  int64_t i = 0, entriesOfRow = 0; // I, P_NZ
  int64_t rows = 0;                // S x I
  bool operator==(const BenchmarkMatrix &) const = default;
};

// The matrices that the paper measures for a kernel, as far as they have at most `mostEntries`
// entries (on average, for random lengths). None for HYB, which is priced by ELL and COO.
std::vector<BenchmarkMatrix> benchmarkMatrices(StripsKernel kernel, const GpuModel &gpu,
                                               int64_t mostEntries);

} // namespace specmv
