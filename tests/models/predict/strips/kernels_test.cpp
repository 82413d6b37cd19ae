// Tests of the table of kernels of the strips and statistics papers, and of their benchmark
// matrices.
#include "tests/models/predict/strips/strips_testing.h"

#include "models/lab/families/families.h"

using namespace specmv;

TEST_CASE("strips: the sizes of strips are the papers'") {
  CHECK(stripSize(StripsKernel::csr, c2050()) == 672);
  CHECK(stripSize(StripsKernel::ell, c2050()) == 21504);
  CHECK(stripSize(StripsKernel::coo, c2050()) == 21504);
  CHECK(stripSize(StripsKernel::csrV, c2050()) == 1344);
  CHECK(stripSize(StripsKernel::jad, c2050()) == 21504);
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  CHECK(stripSize(StripsKernel::csr, gpu) == 8448);
  CHECK(stripSize(StripsKernel::csrV, gpu) == 16896);
  for (const StripsKernel kernel : {StripsKernel::ell, StripsKernel::coo, StripsKernel::csrS,
                                    StripsKernel::ellOfStatistics, StripsKernel::jad})
    CHECK(stripSize(kernel, gpu) == 270336);
  // Warps of 64 threads change the strip sizes that are counted in threads of a warp, and no
  // others.
  GpuModel wide = c2050();
  wide.warpSize = 64;
  CHECK(stripSize(StripsKernel::ell, wide) == 43008);
  CHECK(stripSize(StripsKernel::coo, wide) == 21504);
}

TEST_CASE("strips: the table is in the order of its kernels") {
  for (size_t i = 0; i < stripsKernels().size(); ++i)
    CHECK(static_cast<size_t>(stripsKernels()[i].kernel) == i);
  CHECK(factsOf(StripsKernel::jad).format == std::string("jad"));
}

TEST_CASE("strips: the benchmark matrices are the papers', up to a number of entries") {
  const auto all = [](StripsKernel kernel) {
    return benchmarkMatrices(kernel, c2050(), int64_t{1} << 40);
  };
  CHECK(all(StripsKernel::csr).size() == 10 * 8);
  CHECK(all(StripsKernel::csrV).size() == 18 * 13);
  CHECK(all(StripsKernel::csrV).back() == BenchmarkMatrix{50, 3072, 67200});
  CHECK(all(StripsKernel::jad).size() == 10 * 9);
  CHECK(all(StripsKernel::coo).size() == 10);
  CHECK(all(StripsKernel::coo).back() == BenchmarkMatrix{1, 100, 21504});
  CHECK(all(StripsKernel::hyb).empty());

  const std::vector<BenchmarkMatrix> few =
      benchmarkMatrices(StripsKernel::ell, c2050(), 3 * 21504 * 4);
  CHECK(few == std::vector<BenchmarkMatrix>{{1, 4, 21504}, {2, 4, 43008}, {3, 4, 64512}});
  CHECK(benchmarkMatrices(StripsKernel::ell, c2050(), 21504 * 4 - 1).empty());
  CHECK(benchmarkMatrices(StripsKernel::ell, c2050(), 0).empty());
}

TEST_CASE("strips: a GPU of any allowed size keeps its strips within 64 bits") {
  GpuModel huge = c2050();
  huge.sms = huge.warpsPerSm = huge.threadsPerSm = 1 << 20, huge.warpSize = 1024;
  CHECK(stripSize(StripsKernel::ell, huge) == int64_t{1} << 50);
  for (const StripsKernelFacts &facts : stripsKernels())
    CHECK(benchmarkMatrices(facts.kernel, huge, int64_t{1} << 40).empty());
}

TEST_CASE("strips: the laws of row lengths are those of the family rowlengths") {
  for (const RowLaw law : kRowLaws) {
    const std::string spec = std::string("rowlengths:rows=10,cols=20,mean=2,dist=") + nameOf(law);
    CHECK(llvm::cantFail(generateFamily(spec)).rows == 10);
  }
}
