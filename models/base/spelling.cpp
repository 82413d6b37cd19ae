// Compares words by how many letters must be changed to get from one to the other.
#include "models/base/spelling.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

namespace specmv {

// A third of the letters may be wrong, but one of two or three: a word that differs more is
// another word.
static unsigned mostWrong(llvm::StringRef word) {
  return static_cast<unsigned>((word.size() + 2) / 3);
}

// A word that was not written to its end is near, however much is missing.
constexpr size_t kLeastBeginning = 3;

// Whether the words differ in two letters beside each other that are swapped, a frequent slip.
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
