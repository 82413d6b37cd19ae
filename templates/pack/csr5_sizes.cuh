// Sizes of the kernels that pack CSR5. Contains only constants, because the generator includes this
// file too.
#pragma once

namespace specmv {

// The number of threads of the blocks that move entries, whose shared memory must fit in 48 KB.
enum : int { kCsr5FillBlock = 128 };

} // namespace specmv
