// What the handles of the C API point to, and how a handle is told from a number that is none.
#pragma once

#include "runtime/api/plan.h"

namespace specmv {

// The first bytes of what a handle of this kind points to. They are gone when it is destroyed, so
// that its use is most likely refused, as is that of a handle of another kind.
template <uint64_t number> class Mark {
public:
  Mark() = default;
  Mark(const Mark &) = delete;
  Mark &operator=(const Mark &) = delete;
  ~Mark() { mark_ = 0; }
  bool isMarked() const { return mark_ == number; }

private:
  volatile uint64_t mark_ = number; // volatile: else its last value need not be written
};

} // namespace specmv

// The caller's arrays.
struct specmvMatrix : specmv::Mark<0x7870434d7472614d> {
  explicit specmvMatrix(const specmv::MatrixDescription &given) : description(given) {}
  specmv::MatrixDescription description;
};

struct specmvContext : specmv::Mark<0x7870437478746e43> {
  specmvContext(const specmvContextOptions_t &options, specmv::SharedModel model)
      : state(std::make_shared<specmv::ContextState>(options, std::move(model))) {}
  std::shared_ptr<specmv::ContextState> state; // plans keep it
};

struct specmvPlan : specmv::Mark<0x7870434d6e616c50>, specmv::ApiPlan {};

namespace specmv {

// `name` is that of the argument.
template <class Handle> llvm::Error wantHandle(const Handle *handle, const char *name) {
  if (!handle)
    return fail(Status::badCall, "{0} is a null pointer", name);
  return handle->isMarked() ? llvm::Error::success()
                            : fail(Status::badCall,
                                   "{0} = {1:x} is not a handle of its kind: it is of another "
                                   "kind, was destroyed, or was never made by specmv",
                                   name, reinterpret_cast<uintptr_t>(handle));
}

// A context that the calling thread may use now.
inline llvm::Error wantContext(const specmvContext *context) {
  if (llvm::Error error = wantHandle(context, "context"))
    return error;
  return context->state->isTelling()
             ? fail(Status::badCall, "the context's logger must not use the context that calls it; "
                                     "use another one, or none")
             : llvm::Error::success();
}

// What a plan is asked for: checked handles and complete options.
struct PlanRequestOfCaller {
  specmvPlanOptions_t options;
  std::shared_ptr<ContextState> context; // with the settings of the environment if none is named
};
llvm::Expected<PlanRequestOfCaller> checkedRequest(const specmvMatrix *matrix,
                                                   const specmvPlanOptions_t *options);

} // namespace specmv
