// Defines the objects behind the handles of the C API, and recognizes invalid handles.
#pragma once

#include "runtime/api/plan.h"

namespace specmv {

// Marks an object that a handle points to with its kind, in the first bytes. Destruction clears the
// mark, so that using a destroyed handle, or a handle of another kind, is most likely refused.
template <uint64_t number> class Mark {
public:
  Mark() = default;
  Mark(const Mark &) = delete;
  Mark &operator=(const Mark &) = delete;
  ~Mark() { mark_ = 0; }
  bool isMarked() const { return mark_ == number; }

private:
  volatile uint64_t mark_ = number; // volatile: the compiler must not drop the last store
};

} // namespace specmv

// Describes the caller's arrays.
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

// Checks a handle; `name` is the argument's.
template <class Handle> llvm::Error wantHandle(const Handle *handle, const char *name) {
  if (!handle)
    return fail(Status::badCall, "{0} is a null pointer", name);
  return handle->isMarked() ? llvm::Error::success()
                            : fail(Status::badCall,
                                   "{0} = {1:x} is not a handle of its kind: it is of another "
                                   "kind, was destroyed, or was never made by specmv",
                                   name, reinterpret_cast<uintptr_t>(handle));
}

// Checks a context and that the calling thread may use it now.
inline llvm::Error wantContext(const specmvContext *context) {
  if (llvm::Error error = wantHandle(context, "context"))
    return error;
  return context->state->isTelling()
             ? fail(Status::badCall, "the context's logger must not use the context that calls it; "
                                     "use another one, or none")
             : llvm::Error::success();
}

// The caller's request for a plan: checked handles and complete options.
struct PlanRequestOfCaller {
  specmvPlanOptions_t options;
  std::shared_ptr<ContextState> context; // if none is given, has the environment's settings
};
llvm::Expected<PlanRequestOfCaller> checkedRequest(const specmvMatrix *matrix,
                                                   const specmvPlanOptions_t *options);

} // namespace specmv
