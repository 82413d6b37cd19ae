// Tests matrices in every layout and transposes through the C API on a GPU: arrays on the host and
// the device, and formats that keep the order of values, have slots for them, or share slots.
#include "tests/api/layouts_testing.h"
#include "tests/gpu/gpu.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

Place onGpu() {
  auto gpu = gpuMachine().gpu;
  return [gpu](const void *from, size_t bytes) {
    auto buffer = std::make_shared<DeviceBuffer>(llvm::cantFail(gpu->uploaded(from, bytes)));
    return std::shared_ptr<const void>(buffer, reinterpret_cast<const void *>(buffer->pointer()));
  };
}

specmvPlanOptions_t optionsOf(specmvOperation_t operation, const char *formats) {
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.target = SPECMV_TARGET_GPU;
  options.formats = formats;
  options.operation = operation;
  return options;
}

} // namespace

TEST_CASE("layouts and transposes on a GPU, with new values in the layout's order") {
  const auto random = randomEntries(120, 80, 900, 3);
  std::vector<MatrixEntry> stencil;
  for (int64_t i = 0; i < 120; ++i)
    for (const int64_t d : {-12, -1, 0, 1, 12})
      if (i + d >= 0 && i + d < 80)
        stencil.push_back({i, i + d, static_cast<double>(i % 7 - 3)});
  for (const auto &entries : {random, stencil})
    for (const char *format : {"csr-vector", "csr-merge", "coo", "ell", "sell", "hyb", "jad",
                               "csr5", "dia", "bcsr", "qcsr", "cusparse-csr"})
      for (const MatrixLayout layout :
           {MatrixLayout::csr, MatrixLayout::csc, MatrixLayout::coo, MatrixLayout::bsr})
        for (const auto operation : {SPECMV_OPERATION_NON_TRANSPOSE, SPECMV_OPERATION_TRANSPOSE}) {
          CAPTURE(format);
          const bool isBlocks = layout == MatrixLayout::bsr;
          const InLayout a = inLayout(layout, 120, 80, entries, 1, IndexType::i64, IndexType::i32,
                                      isBlocks ? 3 : 1, isBlocks ? 2 : 1);
          const specmvPlanOptions_t options = optionsOf(operation, format);
          checkLayout(a, options, onHost());
          checkLayout(a, options, onGpu());
        }
}

TEST_CASE("a transpose beside first products, and without values, on a GPU") {
  const auto entries = randomEntries(3000, 2000, 20000, 9);
  const InLayout a =
      inLayout(MatrixLayout::csr, 3000, 2000, entries, 0, IndexType::i32, IndexType::i32);
  specmvPlanOptions_t options = optionsOf(SPECMV_OPERATION_TRANSPOSE, nullptr);
  options.start = SPECMV_START_NOW;
  checkLayout(a, options, onGpu());
  checkLayout(a, options, onHost());
}
