// Finds the twin that a matrix name refers to, and says how it was made.
#include "models/lab/families/twin_note.h"

#include "models/lab/families/twins.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv {

static std::string noteOf(const Twin &twin) {
  if (twin.kind == TwinKind::family)
    return llvm::formatv(
        "stands for {0}, generated as {1} by a family that contains it or a similar one", twin.name,
        twin.what);
  return llvm::formatv("a twin of {0}: generated with its numbers of rows, columns and entries and "
                       "the structure of its kind; it is not the original matrix",
                       twin.name);
}

std::string twinNote(llvm::StringRef name) {
  if (name.consume_front("twin:"))
    for (const Twin &twin : kTwins)
      if (name.split(',').first == twin.name)
        return noteOf(twin);
  return "";
}

} // namespace specmv
