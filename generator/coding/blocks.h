// Tells from a sample whether blocks can be numbered by a coding of generator/coding/blocks.cpp.
#pragma once

#include "generator/coding/coding.h"
#include "models/profile/samples.h"

namespace specmv {

// Returns true if the sample leaves little doubt that packing finds no more different blocks than
// the coding can number, and if their table is as small as a choice wants it.
bool mayNumber(const Coding &coding, const RepeatedBlocks &sample, ValueType type);

} // namespace specmv
