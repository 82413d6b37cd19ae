// The fingerprint of a pattern, by which patterns are told apart.
#pragma once

#include "models/csr.h"

#include <array>

namespace specmv {

// 128 bits of rowPtr and of the columns, which must ascend in each row (repeated ones are
// neighbours): templates/profile/features.cuh defines them. Two patterns of the same size have the
// same with a chance of 2^-64 or so.
using Fingerprint = std::array<uint64_t, 2>;

// Of the arrays as they are. If rows do not ascend, it is that of another pattern or of none. The
// arrays must form a matrix.
Fingerprint fingerprintOf(const CsrView &a);
template <class I> Fingerprint fingerprintOf(const CsrPattern<I> &a);

} // namespace specmv
