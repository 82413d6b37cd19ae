// Finds the declarations that a kernel reaches, and prints them.
#pragma once

#include "generator/source/declarations.h"

#include <map>

namespace specmv::source {

// --- Reach ---------------------------------------------------------------------------------------

// Finds the declarations that a kernel reaches.

// The names that the file has for types of its operands, with these types.
using TypeNames = std::vector<std::pair<std::string, std::string>>;

// The parts of a source in their order.
struct SourceParts {
  std::vector<Declaration> templates; // of templates/
  TypeNames types;
  std::vector<Declaration> own; // the types of a fused step
  std::vector<Declaration> kernels;
  int arch = 0; // __CUDA_ARCH__
};

struct Reached {
  std::vector<bool> isKept; // by the index of a template
  std::set<std::string> names;
  bool has(const std::string &name) const { return names.contains(name); }
};

// A declaration is kept if something kept has its name. Of namesakes, those are left out that have
// a parameter or are specialized for a type that nothing else names: no argument can have it.
Reached reachedIn(const SourceParts &parts);

// The enumerators of an enumeration, each with its value.
std::vector<Tokens> enumeratorsOf(const Declaration &d);

// --- Printed -------------------------------------------------------------------------------------

// The text of what a kernel reaches.

// One namespace with the types of the operands, the declarations, and the kernels.
std::string textOfReached(const SourceParts &parts, const Reached &reached);

} // namespace specmv::source
