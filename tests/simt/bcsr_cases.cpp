// Makes the matrices of full blocks and their plans.
#include "tests/simt/bcsr_cases.h"
#include "generator/formats/bcsr/layout.h"

#include "models/gpu.h"
#include "models/profile/profile.h"

#include "llvm/Support/Error.h"

namespace specmv::simt {

// Makes this many block rows with at most `most` blocks each, some with none. The columns of blocks
// are multiples of `spread` apart.
static TestMatrix fullBlocksMatrix(int64_t r, int64_t c, int64_t blockRows, int64_t most,
                                   int64_t spread) {
  TestMatrix a{"full blocks", blockRows * r, 0, {0}, {}, false};
  for (int64_t i = 0; i < a.rows; ++i) {
    const int64_t blockRow = i / r, count = blockRow % 11 == 4 ? 0 : 1 + blockRow * 7 % most;
    for (int64_t k = 0; k < count; ++k)
      for (int64_t j = 0; j < c; ++j)
        a.col.push_back(
            static_cast<int32_t>((blockRow / 2 + 2 * k + (k + blockRow) % 2) * spread * c + j));
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  a.cols = (blockRows / 2 + 2 * most + 2) * spread * c;
  return a;
}

std::vector<FullBlocksCase> fullBlocksCases() {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  std::vector<FullBlocksCase> out;
  for (int64_t r = 1; r <= 8; ++r)
    for (int64_t c = 1; c <= 8; ++c) {
      const auto n = static_cast<int64_t>(out.size());
      const Problem problem{n % 3 == 2 ? ValueType::f32 : ValueType::f64, true};
      const int64_t most = r * c <= 9 ? 40 : r * c <= 20 ? 20 : 6;
      TestMatrix a = fullBlocksMatrix(r, c, 37, most, n % 16 == 9 ? 2500 : 1);
      const SparsityProfile seen = profile(a.view(ValueType::f64, nullptr));
      const Fixed fixed = {{"bcsr.r", static_cast<double>(r)},
                           {"bcsr.c", static_cast<double>(c)},
                           {"bcsr.lanes", static_cast<double>(int64_t{1} << n % 7 % 6)}};
      Plan plan = offerOf(*findFormat("bcsr"), {seen, problem, gpu, fixed}).plans.at(0);
      plan.set(key::kBcsrFull, 1);
      out.push_back({std::move(a), problem, plan, n % 3 == 1 ? IndexType::i64 : IndexType::i32});
    }
  return out;
}

} // namespace specmv::simt
