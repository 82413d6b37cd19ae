// Launches the kernel of templates/profile/fingerprint.cuh.
#include "generator/setup/fingerprint.h"

#include "generator/setup/packing.h"
#include "generator/sources.h"
#include "templates/profile/counts.cuh"

#include <algorithm>
#include <array>
#include <limits>

namespace specmv {

constexpr const char *kFound = "found";
constexpr ElementType kFoundType = ElementType::u64;
using FoundWords = std::array<uint64_t, kFoundWords>;

static SetupKernel hashKernel(const DeviceCsr &csr, const char *columns) {
  return setupKernel("fingerprint", "FingerprintArgs", {elementOf(csr.indexType)},
                     {csrRowPtrOf(csr), array(kCsrCol, elementOf(csr.indexType), csr.nnz, columns),
                      filled(kFound, kFoundType), wideNumber("rows", csr.rows),
                      wideNumber("cols", csr.cols), wideNumber("nnz", csr.nnz)},
                     kProfileBlock);
}

static KernelSource emitFingerprint(IndexType index) {
  return emitSetup("the fingerprint", {"profile/fingerprint.cuh"},
                   {hashKernel(DeviceCsr{{}, index}, "")});
}

const KernelSource &fingerprintSource(IndexType index) {
  return emittedOnce<emitFingerprint>(index);
}

// The kernel keeps lengths, rows, columns and the first place of a warp behind the last entry in 32
// bits. It visits rows one by one, so a matrix of many rows and few entries would take too long.
static bool isCountable(const DeviceCsr &csr) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max() - 4096;
  constexpr int64_t kRowsPerEntry = 8, kCheapRows = 1 << 20;
  return csr.rows > 0 && csr.cols > 0 && csr.nnz > 0 && csr.nnz <= kMost && csr.rows <= kMost &&
         csr.cols <= kMost && csr.rows <= kRowsPerEntry * csr.nnz + kCheapRows;
}

// This number of blocks fills any GPU.
constexpr int64_t kHashBlocks = 1056;

static llvm::Expected<FoundWords> findOn(Workspace &w, const char *columns) {
  const DeviceCsr &csr = w.csr();
  if (llvm::Error error = w.addScratch(kFound, kFoundType, kFoundWords, Contents::zeros))
    return error;
  const int64_t pieces = ceilDiv(std::max(csr.rows + 1, csr.nnz), int64_t{kHashed});
  FoundWords found{};
  llvm::Error error = w.launch(fingerprintSource(csr.indexType), hashKernel(csr, columns),
                               std::min(ceilDiv(pieces, int64_t{kProfileBlock}), kHashBlocks));
  if (!error)
    error = w.read(kFound, 0, kFoundWords, found.data());
  w.drop(kFound);
  if (error)
    return error;
  return found;
}

static PatternHash hashOf(const FoundWords &found) {
  return {{found[kFingerprint], found[kFingerprint + 1]}, static_cast<int64_t>(found[kDescents])};
}

llvm::Expected<std::optional<PatternHash>> fingerprintOn(Workspace &workspace) {
  if (!isCountable(workspace.csr()))
    return std::nullopt;
  auto found = findOn(workspace, "");
  if (!found)
    return found.takeError();
  return (*found)[kFault] ? std::nullopt : std::optional(hashOf(*found));
}

llvm::Expected<PatternHash> hashOn(Workspace &workspace, const char *columns) {
  auto found = findOn(workspace, columns);
  if (!found)
    return found.takeError();
  return hashOf(*found);
}

} // namespace specmv
