// The formats that the table in formats.cpp lists, each defined in a file of its name.
#pragma once

#include "generator/format.h"

namespace specmv {

extern const Format kCsrScalar, kCsrVector, kCsrMerge, kCsr5, kCoo, kEll, kSell, kHyb, kHcghyb,
    kJad, kBcsr, kDia, kQcsr;
extern const Format kCusparseCsr, kCusparseCsr1, kCusparseCsr2, kCusparseCoo, kCusparseSell,
    kCusparseBsr, kCusparseOp; // all in cusparse.cpp

} // namespace specmv
