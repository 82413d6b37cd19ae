// Chooses the unit of a number.
#include "models/base/units.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace specmv {

// "4.57", "4.1", "17.6"
static std::string decimals(double number) {
  std::string text =
      number < 9.995 ? llvm::formatv("{0:f2}", number) : llvm::formatv("{0:f1}", number);
  if (number < 9.995 && text.back() == '0')
    text.pop_back();
  return text;
}

// Rounds to one decimal before comparing, so that "1000.0 us" never appears. The last unit takes
// any larger number.
static std::string inUnits(double number, llvm::ArrayRef<const char *> units) {
  constexpr double kNext = 1000;
  while (units.size() > 1 && std::round(number * 10) >= kNext * 10)
    number /= kNext, units = units.drop_front();
  return decimals(number) + " " + units.front();
}

std::string shortTime(double us) { return inUnits(us, {"us", "ms", "s"}); }

std::string shortBytes(double bytes) {
  if (bytes < 1000)
    return llvm::formatv("{0:f0} bytes", bytes);
  return inUnits(bytes / 1000, {"kB", "MB", "GB", "TB"});
}

std::string shortRate(double gigabytesPerSecond) {
  const bool isSlow = gigabytesPerSecond < 0.1;
  return isSlow ? inUnits(gigabytesPerSecond * 1e6, {"kB/s", "MB/s"})
                : inUnits(gigabytesPerSecond, {"GB/s", "TB/s"});
}

std::string counted(uint64_t count, const std::string &one, const std::string &more) {
  return std::to_string(count) + " " + (count == 1 ? one : more);
}

} // namespace specmv
