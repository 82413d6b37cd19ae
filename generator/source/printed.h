// The text of what a kernel reaches.
#pragma once

#include "generator/source/reach.h"

namespace specmv::source {

// One namespace with the types of the operands, the declarations, and the kernels.
std::string textOfReached(const SourceParts &parts, const Reached &reached);

} // namespace specmv::source
