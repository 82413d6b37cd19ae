// Compares fixed numbers with the ranges that a format's plans have.
#include "generator/fixed_numbers.h"

#include "llvm/Support/MathExtras.h"

namespace specmv {

std::string whyNotFixed(const Fixed &fixed, llvm::ArrayRef<PlanNumber> numbers) {
  for (const PlanNumber &number : numbers) {
    const int64_t value = fixedOr(fixed, number.name, number.least);
    const bool isRound = !number.isPowerOfTwo || llvm::isPowerOf2_64(static_cast<uint64_t>(value));
    if (value < number.least || value > number.most || !isRound)
      return llvm::formatv("{0} = {1} is not {2}from {3} to {4}", number.name, value,
                           number.isPowerOfTwo ? "a power of two " : "", number.least, number.most);
  }
  return "";
}

} // namespace specmv
