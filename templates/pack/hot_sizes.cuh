// Sizes of the search for the hottest columns, for kernels and for the host.
#pragma once

namespace specmv {

// Columns are counted by their number of entries, up to this one.
enum : int { kHotDegrees = 4096 };

} // namespace specmv
