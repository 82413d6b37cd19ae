// Launches the kernels that find and renumber the hottest columns.
#include "generator/setup/hot_columns.h"

#include "generator/setup/filling.h"
#include "generator/setup/scan.h"
#include "templates/pack/hot_sizes.cuh"

namespace specmv {

constexpr const char *kDegrees = "degrees", *kDegreeCounts = "degreeCounts",
                     *kLeast = "leastDegree", *kHotStart = "hotStart", *kNumbers = "columnNumbers";

namespace {
struct HotJob {
  const DeviceCsr &csr;
  ElementType column;
  int64_t hot, slots;

  int64_t columnBlocks() const { return ceilDiv(csr.cols, int64_t{kSetupBlock}); }
  Field degrees() const { return array("degrees", ElementType::u32, csr.cols, kDegrees); }
  static Field least() { return array("least", ElementType::u32, 1, kLeast); }
  Field cols() const { return wideNumber("cols", csr.cols); }
  Field most() const { return narrowNumber("hot", hot); }
};
} // namespace

static std::vector<SetupLaunch> hotSearch(const HotJob &job) {
  return {
      {setupKernel("hotDegrees", "HotDegreesArgs", {elementOf(job.csr.indexType)},
                   {csrColOf(job.csr), filled("degrees", ElementType::u32, kDegrees),
                    wideNumber("nnz", job.csr.nnz)}),
       ceilDiv(job.csr.nnz, int64_t{kSetupBlock})},
      {setupKernel("hotCounts", "HotCountsArgs", {},
                   {job.degrees(), filled("counts", ElementType::u32, kDegreeCounts), job.cols()}),
       std::min(kFewBlocks, job.columnBlocks())},
      {setupKernel("hotLeast", "HotLeastArgs", {},
                   {array("counts", ElementType::u32, kHotDegrees, kDegreeCounts),
                    filled("least", ElementType::u32, kLeast), job.most()}),
       1},
      {setupKernel("hotStarts", "HotStartsArgs", {},
                   {job.degrees(), HotJob::least(), filled("hotStart", ElementType::i64, kHotStart),
                    job.cols()}),
       job.columnBlocks()}};
}

static std::vector<SetupLaunch> hotNumbering(const HotJob &job) {
  return {{setupKernel("hotNumbers", "HotNumbersArgs", {job.column},
                       {job.degrees(), HotJob::least(),
                        array("hotStart", ElementType::i64, job.columnBlocks() + 1, kHotStart),
                        filled("numbers", job.column, kNumbers), filled("hotCol", job.column),
                        job.cols(), job.most()}),
           job.columnBlocks()},
          {setupKernel("hotRenumber", "HotRenumberArgs", {job.column},
                       {array("numbers", job.column, job.csr.cols, kNumbers),
                        filled("col", job.column), wideNumber("slots", job.slots)}),
           ceilDiv(job.slots, int64_t{kSetupBlock})}};
}

std::vector<SetupKernel> hotKernels(const DeviceCsr &csr, ElementType column) {
  const HotJob job{csr, column, 0, 0};
  std::vector<SetupKernel> out;
  for (const std::vector<SetupLaunch> &launches : {hotSearch(job), hotNumbering(job)})
    for (const SetupLaunch &launch : launches)
      out.push_back(launch.kernel);
  return out;
}

llvm::Error renumberHot(Workspace &w, const KernelSource &source, ElementType column, int64_t hot,
                        int64_t slots) {
  const HotJob job{w.csr(), column, hot, slots};
  const auto addZeros = [&](const char *name, int64_t count) {
    return w.addScratch(name, ElementType::u32, count, Contents::zeros);
  };
  if (llvm::Error error = w.add("hotCol", column, hot, Contents::zeros))
    return error;
  if (llvm::Error error = addZeros(kDegrees, job.csr.cols))
    return error;
  if (llvm::Error error = addZeros(kDegreeCounts, kHotDegrees))
    return error;
  if (llvm::Error error = addZeros(kLeast, 1))
    return error;
  if (llvm::Error error =
          w.addScratch(kHotStart, ElementType::i64, job.columnBlocks() + 1, Contents::undefined))
    return error;
  if (llvm::Error error = w.addScratch(kNumbers, column, job.csr.cols, Contents::undefined))
    return error;
  if (llvm::Error error = launchAll(w, source, hotSearch(job)))
    return error;
  if (llvm::Error error =
          placeCounts(w, source, kHotStart, ElementType::i64, job.columnBlocks() + 1))
    return error;
  if (llvm::Error error = launchAll(w, source, hotNumbering(job)))
    return error;
  for (const char *name : {kDegrees, kDegreeCounts, kLeast, kHotStart, kNumbers})
    w.drop(name);
  return llvm::Error::success();
}

} // namespace specmv
