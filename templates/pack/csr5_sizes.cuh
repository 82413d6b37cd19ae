// Sizes of the kernels that pack CSR5. Constants only: the generator includes this file too.
#pragma once

namespace specmv {

// Threads of the blocks that move entries: what they have in shared memory fits 48 KB.
enum : int { kCsr5FillBlock = 128 };

} // namespace specmv
