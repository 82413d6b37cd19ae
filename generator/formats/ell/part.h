// ELL as a part of a plan: an array of some columns, with one thread a row.
#pragma once

#include "generator/shared/padded.h"
#include "generator/tree/part.h"

namespace specmv {

// Stores y. The part needs a share whose first position is 0.
extern const Part kEllPart;

} // namespace specmv
