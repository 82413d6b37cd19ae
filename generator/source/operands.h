// The operands of kernels: in templates/ a parameter T, in an emitted file types of the file.
#pragma once

#include "generator/source/reach.h"

namespace specmv::source {

// Puts types of the file in the place of T: those of the kernel with the most of its own. The
// templates of other kernels that need other types keep their parameter.
void putOperands(SourceParts &parts);

// Removes teams from kernels that multiply one vector: a team is one thread, and its sum one value.
void putOneVector(SourceParts &parts);

} // namespace specmv::source
