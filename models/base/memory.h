// Makes LLVM's containers throw when memory runs out.
#pragma once

namespace specmv {

// LLVM's own containers (SmallVector, StringMap) end the process when malloc fails. After this call
// they throw std::bad_alloc, as operator new does; the C API and the tool catch it at their
// boundary. This library has a private copy of LLVM, so other users of LLVM in the process are not
// affected. A DenseMap that throws is left broken, so none is used here. Thread-safe; every call
// but the first does nothing.
void throwWhenMemoryRunsOut();

} // namespace specmv
