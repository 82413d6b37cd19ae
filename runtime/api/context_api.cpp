// Implements the C API functions that create and destroy contexts.
#include "runtime/api/arguments.h"
#include "runtime/api/guarded.h"
#include "runtime/api/handles.h"

using namespace specmv;

extern "C" {

specmvStatus_t specmvCreateContext(specmvContext_t *context,
                                   const specmvContextOptions_t *options) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPointer(context, "context"))
      return error;
    *context = nullptr;
    auto complete = completeOptions(options);
    if (!complete)
      return complete.takeError();
    auto model = modelOf(*complete);
    if (!model)
      return model.takeError();
    *context = new specmvContext(*complete, std::move(*model));
    return llvm::Error::success();
  });
}

specmvStatus_t specmvDestroyContext(specmvContext_t context) {
  return guarded([&]() -> llvm::Error {
    if (!context)
      return llvm::Error::success();
    if (llvm::Error error = wantContext(context))
      return error;
    context->state->close();
    delete context;
    return llvm::Error::success();
  });
}

} // extern "C"
