// The fields of a signature: how each is converted to integers, read back and checked.
#pragma once

#include "models/profile/profile.h"

#include <span>

namespace specmv {

using Integers = std::vector<Count>;

struct SignatureField {
  const char *key;
  void (*write)(const SparsityProfile &, Integers &);
  // Returns false if there are too few or too many numbers.
  bool (*read)(std::span<const Count>, SparsityProfile &);
  // Returns true if profile() could have produced this field, given the fields before it.
  bool (*holds)(const SparsityProfile &);
};

// In the order of the text. The first kIdentifyingFields tell patterns apart.
std::span<const SignatureField> signatureFields();
constexpr size_t kIdentifyingFields = 4;

// The checks of the lists, in checks.cpp.
bool lengthsHold(const SparsityProfile &p);
bool diagonalsHold(const SparsityProfile &p);
bool blockFillHolds(const SparsityProfile &p);
bool slicesHold(const SparsityProfile &p);
bool linesHold(const SparsityProfile &p);
bool spansHold(const SparsityProfile &p);
bool reuseHolds(const SparsityProfile &p);
bool tilesHold(const SparsityProfile &p);

} // namespace specmv
