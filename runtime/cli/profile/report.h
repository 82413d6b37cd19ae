// Describes a matrix: its profile as text and as JSON.
#pragma once

#include "models/profile/profile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv::cli {

// Returns the profile as JSON: statistics of the rows, and the slices, spans, sectors, block fill
// and tile densities that plans are made from. `diagonals` is the number of occupied ones, which
// the profile has only if they are few.
llvm::json::Object jsonOf(const SparsityProfile &profile, const RowStatistics &rows,
                          Count diagonals);

// Prints the few figures that say most about which format suits, or `all` that plans are made from.
void printProfile(llvm::raw_ostream &out, const SparsityProfile &profile, const RowStatistics &rows,
                  Count diagonals, bool all);

} // namespace specmv::cli
