// The formats that the table in formats.cpp lists, each defined in a file of its name.
#pragma once

#include "generator/format.h"

namespace specmv {

extern const Format kCsrScalar, kCsrVector, kCsr5, kEll, kSell, kHyb, kJad, kQcsr;

} // namespace specmv
