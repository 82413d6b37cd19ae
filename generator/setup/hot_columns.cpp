// Launches the kernels that find and renumber the hottest columns.
#include "generator/setup/hot_columns.h"

#include "generator/setup/column_degrees.h"
#include "generator/setup/scan.h"

namespace specmv {

constexpr const char *kLeast = "leastDegree", *kHotStart = "hotStart", *kNumbers = "columnNumbers";

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
  std::vector<SetupLaunch> out = degreeLaunches(job.csr);
  out.push_back({setupKernel("hotLeast", "HotLeastArgs", {},
                             {array("counts", ElementType::u32, int64_t{kMostCountedDegree} + 1,
                                    kDegreeCounts),
                              filled("least", ElementType::u32, kLeast), job.most()}),
                 1});
  out.push_back({setupKernel("hotStarts", "HotStartsArgs", {},
                             {job.degrees(), HotJob::least(),
                              filled("hotStart", ElementType::i64, kHotStart), job.cols()}),
                 job.columnBlocks()});
  return out;
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
  if (llvm::Error error = w.add("hotCol", column, hot, Contents::zeros))
    return error;
  if (llvm::Error error = addDegrees(w))
    return error;
  if (llvm::Error error = w.addScratch(kLeast, ElementType::u32, 1, Contents::zeros))
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
  dropDegrees(w);
  for (const char *name : {kLeast, kHotStart, kNumbers})
    w.drop(name);
  return llvm::Error::success();
}

} // namespace specmv
