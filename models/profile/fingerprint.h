// The fingerprint of a pattern, by which patterns are distinguished.
#pragma once

#include "models/csr.h"

#include <array>

namespace specmv {

// 128 bits of rowPtr and of the columns, which must ascend in each row (repeated ones are
// neighbours); defined in templates/profile/features.cuh. Two patterns of the same size have the
// same fingerprint with a probability of about 2^-64.
using Fingerprint = std::array<uint64_t, 2>;

// Hashes the arrays as they are. If rows do not ascend, the result is not the pattern's
// fingerprint. The arrays must form a matrix.
Fingerprint fingerprintOf(const CsrView &a);
template <class I> Fingerprint fingerprintOf(const CsrPattern<I> &a);

} // namespace specmv
