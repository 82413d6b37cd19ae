// Writes numbers with units, shows names as they are, and finds the word that was meant.
#include "models/base/text.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace specmv {

// --- Units ---------------------------------------------------------------------------------------

// Chooses the unit of a number.

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

// --- Shown ---------------------------------------------------------------------------------------

// Decides which characters a terminal displays rather than interprets.

// U+0080 to U+009F (U+009B begins an escape sequence), U+2028 to U+202E and U+2066 to U+2069.
static bool isObeyed(llvm::StringRef character) {
  return (character[0] == '\xc2' && character[1] < '\xa0') ||
         (character.starts_with("\xe2\x80") && character[2] >= '\xa8' && character[2] <= '\xae') ||
         (character.starts_with("\xe2\x81") && character[2] >= '\xa6' && character[2] <= '\xa9');
}

size_t shownBytes(llvm::StringRef text, size_t at) {
  const char c = text[at];
  if (llvm::isASCII(c))
    return llvm::isPrint(c) || c == '\t' ? 1 : 0;
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const size_t size = llvm::getUTF8SequenceSize(begin + at, begin + text.size());
  return size > 0 && isObeyed(text.substr(at, size)) ? 0 : size;
}

std::string shownOnOneLine(llvm::StringRef text) {
  std::string out;
  out.reserve(text.size());
  forEachShown(
      text, [](size_t) { return false; }, [&](llvm::StringRef piece) { out += piece; });
  return out;
}

// --- Spelling ------------------------------------------------------------------------------------

// Compares words by the number of letters that must be changed to turn one into the other.

// Allows a third of the letters to be wrong, and one in words of two or three letters. A word that
// differs more is a different word.
static unsigned mostWrong(llvm::StringRef word) {
  return static_cast<unsigned>((word.size() + 2) / 3);
}

// An unfinished word of at least this length matches, however much of it is missing.
constexpr size_t kLeastBeginning = 3;

// Returns true if the words differ only in two adjacent letters that are swapped, a frequent slip.
static bool isSwapped(llvm::StringRef a, llvm::StringRef b) {
  if (a.size() != b.size())
    return false;
  const auto at =
      static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
  return at + 1 < a.size() && a[at] == b[at + 1] && a[at + 1] == b[at] &&
         a.drop_front(at + 2) == b.drop_front(at + 2);
}

static unsigned wrongIn(llvm::StringRef word, llvm::StringRef known, unsigned most) {
  const bool isBeginning = word.size() >= kLeastBeginning && known.starts_with(word);
  return isBeginning || isSwapped(word, known)
             ? 1
             : known.edit_distance(word, /*AllowReplacements=*/true, most);
}

llvm::StringRef nearestTo(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known) {
  const std::string lower = word.lower();
  unsigned least = mostWrong(word) + 1;
  llvm::StringRef nearest;
  for (llvm::StringRef each : known)
    if (const unsigned wrong = wrongIn(lower, each, least); wrong < least && wrong < each.size())
      least = wrong, nearest = each;
  return nearest;
}

std::string meantBy(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known) {
  const llvm::StringRef nearest = nearestTo(word, known);
  return nearest.empty() ? "" : (" (did you mean '" + nearest + "'?)").str();
}

} // namespace specmv
