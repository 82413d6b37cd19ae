// Compares the values along the diagonals of a matrix.
#pragma once

#include "models/profile/value_facts.h"

#include <optional>
#include <vector>

namespace specmv {

// Returns the diagonals in any order if ValueFacts::constantAlongDiagonals is true. Reads
// rowPtr, col and val until the answer is known.
std::optional<std::vector<ValueOfDiagonal>> compareDiagonals(const CsrView &a);

} // namespace specmv
