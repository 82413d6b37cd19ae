// Values that are equal along each diagonal, as in the matrix of a stencil with constant
// coefficients: DIA's kernels take the values as arguments, which all lanes read from the constant
// bank, and no value is loaded. So one kernel serves all coefficients. Kernels for any number of
// diagonals cannot index arguments and read a small array.
#include "generator/coding/coding.h"

#include "generator/formats/dia/layout.h"
#include "templates/setup/sizes.cuh"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>

namespace specmv {

constexpr const char *kOfDiagonals = "valOfDiagonal";

// "val0", "val1" and so on.
static const char *nameOfNumber(size_t diagonal) {
  struct Names {
    std::array<std::array<char, 6>, kMostComparedDiagonals> text{};
    constexpr Names() {
      for (size_t i = 0; i < text.size(); ++i) {
        text[i] = {'v', 'a', 'l', static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
        if (i < 10)
          text[i] = {'v', 'a', 'l', static_cast<char>('0' + i)};
      }
    }
  };
  static constexpr Names kNames;
  return kNames.text[diagonal].data();
}

static std::string viewOfDiagonals(const Plan &plan, ElementType stored) {
  if (hasOffsetsAsArgument(plan))
    return llvm::formatv("specmv::DiagonalArray<{0}>", deviceNameOf(stored));
  return llvm::formatv("specmv::DiagonalNumbers<{0}, {1}>", deviceNameOf(stored),
                       diagonalsOf(plan));
}

static std::string whyNotSoMany(const Plan &plan) {
  if (hasOffsetsAsArgument(plan))
    return "";
  const int64_t diagonals = diagonalsOf(plan);
  return diagonals >= 1 && diagonals <= kMostComparedDiagonals
             ? ""
             : llvm::formatv(
                   "values=diagonals is for 1 to {0} diagonals, but the plan has {1}; use "
                   "values=plain",
                   int{kMostComparedDiagonals}, diagonals)
                   .str();
}

static Fields diagonalFields(const Plan &plan, ElementType stored, int64_t /*slots*/) {
  const int64_t numbers = hasOffsetsAsArgument(plan) ? 0 : diagonalsOf(plan);
  Fields out = {ifGeneral(hasOffsetsAsArgument(plan), array(kOfDiagonals, stored, numbers))};
  for (int64_t i = 0; i < numbers; ++i)
    out.push_back(number(nameOfNumber(static_cast<size_t>(i)), stored, 0));
  for (Field &field : out)
    field.argument.field = "val";
  return out;
}

static bool areEqualAlong(const ValueFacts &facts) { return facts.constantAlongDiagonals; }

static std::string whyNotAlong(const ValueFacts &facts) {
  return areEqualAlong(facts)
             ? ""
             : llvm::formatv("values=diagonals needs values that are equal along each of at most "
                             "{0} diagonals, but those of the matrix are not; use values=plain",
                             int{kMostComparedDiagonals})
                   .str();
}

// A diagonal without entries has 0, which no row reads.
static std::vector<uint64_t> valuesAlong(const Plan &plan, const ValueFacts &facts) {
  std::vector<uint64_t> out;
  if (facts.distinct == 1) // the facts do not list diagonals then
    return std::vector<uint64_t>(static_cast<size_t>(diagonalsOf(plan)), facts.values.front());
  for (const int64_t offset : plan.get(key::kDiaOffsets)) {
    const auto found = llvm::find_if(
        facts.diagonals, [&](const ValueOfDiagonal &each) { return each.offset == offset; });
    out.push_back(found == facts.diagonals.end() ? 0 : found->bits);
  }
  return out;
}

const Coding kAlongDiagonals{.name = "diagonals",
                             .header = "coding/diagonals.cuh",
                             .view = viewOfDiagonals,
                             .fields = diagonalFields,
                             .format = "dia",
                             .whyNotPlan = whyNotSoMany,
                             .fits = areEqualAlong,
                             .whyNot = whyNotAlong,
                             .comparesDiagonals = true,
                             .entryTask = kStoreNothing,
                             .listed = valuesAlong,
                             .table = kOfDiagonals,
                             .numberName = nameOfNumber,
                             .survivesNewValues = false,
                             .gist =
                                 "the values are equal along each diagonal, so that none is read"};

} // namespace specmv
