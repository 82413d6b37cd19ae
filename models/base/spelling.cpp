// Compares words by the number of letters that must be changed to turn one into the other.
#include "models/base/spelling.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

namespace specmv {

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
