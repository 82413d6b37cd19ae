// Finds the twin that the name of a matrix tells of, and says how it was made.
#include "models/lab/families/twin_note.h"

#include "models/lab/families/twins.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv {

static std::string noteOf(const Twin &twin) {
  if (twin.kind == TwinKind::family)
    return llvm::formatv("for {0} by the family that has it or one like it, as {1}", twin.name,
                         twin.what);
  return llvm::formatv("a twin of {0}: made with as many rows, columns and entries and the "
                       "structure of its kind, not that matrix itself",
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
