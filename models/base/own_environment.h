// What of a thread's state the library replaces by its own in every call: locale and floating-point
// environment. (A file of its own, so that no place takes only one of them.)
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
