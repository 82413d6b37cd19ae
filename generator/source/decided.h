// Removes the branches of a declaration that its constants decide, and marks its functions as ones
// of the device.
#pragma once

#include "generator/source/constants.h"
#include "generator/source/declarations.h"

namespace specmv::source {

// Decides `if constexpr` and the choices of constants, and leaves out assertions that hold and
// constants that nothing names.
void decide(Tokens &all, Numbers numbers);

// Says of the functions that host and device share that they are ones of the device.
void putOnDevice(Declaration &d);

} // namespace specmv::source
