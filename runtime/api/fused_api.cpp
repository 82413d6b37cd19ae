// Implements the fused steps of the C API.
#include "models/base/error.h"
#include "runtime/api/arguments.h"
#include "runtime/api/fused.h"
#include "runtime/api/guarded.h"

using namespace specmv;

extern "C" {

specmvStatus_t specmvCreateFused(specmvFused_t *step, specmvPlan_t plan,
                                 const specmvFusion_t *fusion) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPointer(step, "step"))
      return error;
    *step = nullptr;
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    auto out = std::make_unique<specmvFused>();
    if (llvm::Error error = andThen(fusionOf(fusion, plan->vectorType), [&](Fusion asked) {
          return makeFused(*out, *plan, std::move(asked));
        }))
      return error;
    *step = out.release();
    return llvm::Error::success();
  });
}

specmvStatus_t specmvExecuteFused(specmvFused_t step, void *const *vectors, void *const *scalars,
                                  void *stream) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(step, "step"))
      return error;
    return executeFused(*step, vectors, scalars, stream);
  });
}

specmvStatus_t specmvDestroyFused(specmvFused_t step) {
  return guarded([&]() -> llvm::Error {
    if (!step)
      return llvm::Error::success();
    if (llvm::Error error = wantHandle(step, "step"))
      return error;
    step->marks->wait();
    llvm::erase(step->plan->fusedSteps, step);
    delete step;
    return llvm::Error::success();
  });
}

} // extern "C"
