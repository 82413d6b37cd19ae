// Finds thresholds of HYB and the longest rows of groups in the lengths of rows.
#pragma once

#include "generator/format.h"
#include "generator/shared/walk.h"
#include "models/profile/profile.h"

namespace specmv {

// --- Hyb thresholds ------------------------------------------------------------------------------

// The thresholds K of HYB that are worth pricing, and its pace, for all formats that split rows at
// K.

namespace key {
inline constexpr IntegerKey kHybTail{"tail"}; // 1 if rows have entries behind the first hyb.k
} // namespace key

// If hyb.k is fixed, that value alone. Otherwise the PMF paper's K (its Algorithm 2), the K that
// moves the fewest bytes and, if it is not 0, the K of the row share.
const std::vector<int64_t> &hybThresholds(const PlanRequest &in);

// hyb.k in a format's table of parameters.
constexpr Parameter kThresholdParameter{.name = key::kHybK.name,
                                        .least = 0,
                                        .most = kMaxSlots,
                                        .isSettable = true,
                                        .tried = {0, 1, 3, 16}};

constexpr PaceRates kHybPace("hyb");

// --- Longest rows --------------------------------------------------------------------------------

// The longest rows of groups of rows, for kernels in which the rows of a group wait for each other.

// The mean over groups of `rows` consecutive rows of the length of the longest row. The profile has
// counted it for 2, 4, .. 128 rows. For more rows it grows as if rows had random places: the
// longest of n is then about as long as one n-th of all rows are.
double longestOfRows(const SparsityProfile &p, int64_t rows);

} // namespace specmv
