// The part of an explanation that compares the choice with the best plan of another format.
#pragma once

#include "runtime/explain/explain.h"

namespace specmv {

// Returns "; ell would take 4.69 us because ...", in which the times add up to the difference.
std::string runnerUpText(const Explanation &e);

// Describes the slowest thread; the number of passes is an estimate, rounded down.
std::string passesText(int64_t passes, int64_t others, const char *whose);

// Returns " with 1.32 values for each entry", or " without padding"; "" if that is not known.
std::string paddingText(double valuesPerEntry);

} // namespace specmv
