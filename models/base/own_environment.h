// Replaces a thread's locale and floating-point environment by the library's own in every call. (It
// is one file, so that no place takes only one of them.)
#pragma once

#include "models/base/c_locale.h"
#include "models/base/default_floats.h"

namespace specmv {

struct OwnEnvironment {
  CLocale decimalPoints; // for everything that the library prints and parses
  DefaultFloats floats;
};

// Restores the application's while the library calls one of its functions.
struct ApplicationsEnvironment {
  ApplicationsLocale locale;
  ApplicationsFloats floats;
};

} // namespace specmv
