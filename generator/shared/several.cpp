// Describes the kernels and launches of products with several vectors.
#include "generator/shared/several.h"

#include "templates/shared/constants.cuh"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace specmv {

int vectorsOfPass(int64_t vectors) {
  constexpr int64_t kMost = 16;
  return vectors <= 1 ? 1
                      : static_cast<int>(
                            llvm::PowerOf2Ceil(static_cast<uint64_t>(std::min(vectors, kMost))));
}

int64_t teamOf(const Problem &problem) {
  return teamOf(problem.vectors, static_cast<int>(sizeOf(vectorTypeOf(problem))));
}

static Argument numberOfVectors(const char *name, Binding binding, const char *field = "") {
  return {name, binding, binding == Binding::count ? ElementType::i32 : ElementType::i64, "",
          field};
}

// "specmv::RowsOfX<double, 8>"
static std::string rowsType(const char *name, const Problem &problem) {
  return llvm::formatv("specmv::{0}<{1}, {2}>", name,
                       deviceNameOf(elementOf(vectorTypeOf(problem))), problem.vectors);
}

static Kernel severalOf(const Kernel &one, const Problem &problem, const SeveralKernel &several) {
  Kernel out = one;
  out.name = "specmv_several";
  if (*several.function)
    out.function = several.function;
  if (several.threads)
    out.blockThreads = several.threads;
  out.blocksPerSm = several.blocksPerSm;
  out.leavesL1 = false; // another kernel may collect rows of X
  out.operands->x = rowsType("RowsOfX", problem);
  out.operands->y = rowsType("RowsOfY", problem);
  llvm::erase_if(out.arguments, [](const Argument &a) { return a.binding == Binding::added; });
  for (const Argument &argument : {numberOfVectors("strideX", Binding::strideX, "x"),
                                   numberOfVectors("strideY", Binding::strideY, "y"),
                                   numberOfVectors("stepY", Binding::stepY, "y"),
                                   numberOfVectors("count", Binding::count, "y")})
    out.arguments.push_back(argument);
  return out;
}

static Kernel rowsOfXKernel(const Problem &problem) {
  const ElementType value = elementOf(vectorTypeOf(problem));
  return {.name = "specmv_rows_of_x",
          .function = "rowsOfX",
          .plan = "",
          .args = "RowsOfXArgs",
          .types = {value},
          .blockThreads = kRowsOfXThreads,
          .arguments = {{"x", Binding::x, value},
                        {"rows", Binding::rowsOfX, value},
                        numberOfVectors("cols", Binding::cols),
                        numberOfVectors("strideX", Binding::strideX),
                        numberOfVectors("stepX", Binding::stepX),
                        numberOfVectors("count", Binding::count)},
          .numbers = {std::to_string(problem.vectors)},
          .onY = OnY::nothing};
}

std::vector<Kernel> kernelsFor(const Kernel &one, const Problem &problem,
                               const SeveralKernel &several) {
  if (problem.vectors == 1)
    return {one};
  return {one, severalOf(one, problem, several), rowsOfXKernel(problem)};
}

Steps severalSteps(const Kernel &one, const Problem &problem, int64_t blocks,
                   const SeveralKernel &several) {
  return launchOnly(severalOf(one, problem, several), blocks);
}

Launch rowsOfXLaunch(const Problem &problem, int64_t cols) {
  return std::get<Launch>(launchOf(rowsOfXKernel(problem), ceilDiv(cols, kRowsOfXThreads)).action);
}

int64_t alignmentOfRows(const Problem &problem) {
  return std::min<int64_t>(kBytesOfMember, problem.vectors * vectorValueBytes(problem));
}

// The factor on gathered bytes if X has several vectors. If one entry uses each sector of x, a row
// of X, at least a sector, replaces the sector. If entries use all values of a sector, each of
// these values becomes a row of X. In between, the logarithm of the entries that use a sector
// decides.
static double gathersOfSeveral(const PlanRequest &in, int64_t gatherBytes) {
  const auto v = static_cast<double>(sizeOf(vectorTypeOf(in.problem)));
  const double vectors = in.problem.vectors, alone = std::max(1.0, vectors * v / 32);
  const double served = static_cast<double>(in.profile.nnz) * 32 /
                        static_cast<double>(std::max<int64_t>(1, gatherBytes));
  const double share = std::clamp(std::log(std::max(1.0, served)) / std::log(32 / v), 0.0, 1.0);
  return std::pow(alone, 1 - share) * std::pow(vectors, share);
}

// The matrix is read once for all vectors.
Traffic trafficOfSeveral(const PlanRequest &in, const Traffic &one) {
  const int64_t v = vectorValueBytes(in.problem);
  const int64_t vectors = in.problem.vectors, team = teamOf(in.problem);
  Traffic out = one;
  const int64_t used = one.usedBytes ? one.usedBytes : one.storedBytes;
  out.vectorBytes = vectors * one.vectorBytes;
  out.usedBytes = used + (vectors - 1) * one.vectorBytes;
  out.streamBytes += (vectors - 1) * in.profile.rows * v;
  out.gatherBytes = static_cast<int64_t>(static_cast<double>(one.gatherBytes) *
                                         gathersOfSeveral(in, one.gatherBytes));
  out.orderlyBytes *= vectors;
  out.workUs *= static_cast<double>(team);
  out.threads *= team;
  out.steps *= team;
  out.blocks *= team;
  return out;
}

std::string whyNoTeams(const Problem &problem, const char *parameter, int64_t lanes) {
  const int64_t team = teamOf(problem);
  if (lanes == 1 || lanes * team <= 32)
    return "";
  return llvm::formatv("{0} vectors need {1} threads for each of {2} = {3} lanes, more than the 32 "
                       "of a warp; set {2} to at most {4}",
                       problem.vectors, team, parameter, lanes, 32 / team);
}

} // namespace specmv
