// What becomes of LLVM's containers when memory runs out.
#pragma once

namespace specmv {

// LLVM's own containers (SmallVector, StringMap) end the process when malloc fails. From here on
// they throw std::bad_alloc, as operator new does, which the C API and the tool catch at their
// edge. The LLVM of this library is private to it, so that no other user of LLVM in the process is
// concerned. A DenseMap that throws is left broken, so none is used. Thread-safe; every call but
// the first does nothing.
void throwWhenMemoryRunsOut();

} // namespace specmv
