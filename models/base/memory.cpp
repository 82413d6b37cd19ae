// Installs a handler for LLVM that throws.
#include "models/base/memory.h"

#include "llvm/Support/ErrorHandling.h"

#include <mutex>
#include <new>

namespace specmv {

// LLVM is built without exceptions but with unwind tables, so this exception passes through its
// functions; their local objects are then not destroyed. LLVM holds no lock while it allocates.
[[noreturn]] static void throwBadAlloc(void * /*data*/, const char * /*reason*/, bool /*crash*/) {
  throw std::bad_alloc();
}

void throwWhenMemoryRunsOut() {
  static std::once_flag isInstalled;
  std::call_once(isInstalled, [] { llvm::install_bad_alloc_error_handler(throwBadAlloc); });
}

} // namespace specmv
