// Declares the formats of formats.def, each of which is defined in the file that its line names.
#pragma once

#include "generator/format.h"

namespace specmv {

#define SPECMV_FORMAT(constant, file) extern const Format constant;
#include "generator/formats.def"
#undef SPECMV_FORMAT

} // namespace specmv
