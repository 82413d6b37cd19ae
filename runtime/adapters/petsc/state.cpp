// The state that a matrix carries in a container, the options, and errors.
#include "runtime/adapters/petsc/state.h"

namespace specmv::petsc {

namespace {

// PETSc hands composed objects to no copy of the matrix, so a copy has no state until it gets one.
constexpr const char *kComposedName = "__specmv_state";

PetscErrorCode destroyState(State *state) {
  PetscFunctionBegin;
  PetscCall(destroyPlans(*state));
  delete state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_GE(3, 23, 0)
// The address of the pointer, which is a void ** until 3.25 and a void * since.
template <class Address> PetscErrorCode destroyContext(Address address) {
  return destroyState(*reinterpret_cast<State **>(address));
}
constexpr auto kSetDestroy = PetscContainerSetCtxDestroy;
#else
PetscErrorCode destroyContext(void *context) { return destroyState(static_cast<State *>(context)); }
constexpr auto kSetDestroy = PetscContainerSetUserDestroy;
#endif

PetscErrorCode makeState(Mat A, State **state) {
  PetscContainer container = nullptr;

  PetscFunctionBegin;
  *state = new (std::nothrow) State;
  PetscCheck(*state, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the state of a matrix");
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, *state));
  PetscCall(kSetDestroy(container, destroyContext));
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(A), kComposedName,
                               reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode readRigor(PetscOptions options, const char *prefix, specmvRigor_t *rigor) {
  constexpr std::array<std::pair<const char *, specmvRigor_t>, 4> kRigors = {{
      {"estimate", SPECMV_RIGOR_ESTIMATE},
      {"trial", SPECMV_RIGOR_TRIAL},
      {"measure", SPECMV_RIGOR_MEASURE},
      {"exhaustive", SPECMV_RIGOR_EXHAUSTIVE},
  }};
  std::array<char, 32> text = {};
  PetscBool set = PETSC_FALSE, same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(
      PetscOptionsGetString(options, prefix, "-mat_specmv_rigor", text.data(), text.size(), &set));
  for (const auto &[name, value] : kRigors) {
    PetscCall(PetscStrcmp(text.data(), name, &same));
    if (same)
      *rigor = value;
    if (same || !set)
      PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
          "-mat_specmv_rigor %s is none of estimate, trial, measure and exhaustive", text.data());
}

} // namespace

PetscErrorCode findState(Mat A, State **state) {
  PetscObject container = nullptr;
  void *pointer = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(A), kComposedName, &container));
  if (container)
    PetscCall(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(container), &pointer));
  *state = static_cast<State *>(pointer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode findOrMakeState(Mat A, State **state) {
  PetscFunctionBegin;
  PetscCall(findState(A, state));
  if (!*state)
    PetscCall(makeState(A, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode removeState(Mat A) {
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(A), kComposedName, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode readSettings(Mat A, Settings *settings) {
  PetscOptions options = nullptr;
  const char *prefix = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetOptions(reinterpret_cast<PetscObject>(A), &options));
  PetscCall(MatGetOptionsPrefix(A, &prefix));
  PetscCall(
      PetscOptionsGetInt(options, prefix, "-mat_specmv_products", &settings->products, nullptr));
  PetscCheck(
      settings->products >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
      "-mat_specmv_products %lld is negative: give the number of products that you expect, or 0",
      static_cast<long long>(settings->products));
  PetscCall(readRigor(options, prefix, &settings->rigor));
  PetscCall(PetscOptionsGetBool(options, prefix, "-mat_specmv_view", &settings->view, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode check(specmvStatus_t status, const char *what) {
  PetscFunctionBegin;
  if (status == SPECMV_STATUS_SUCCESS)
    PetscFunctionReturn(PETSC_SUCCESS);
  const bool memory =
      status == SPECMV_STATUS_OUT_OF_MEMORY || status == SPECMV_STATUS_GPU_MEMORY_FULL;
  SETERRQ(PETSC_COMM_SELF, memory ? PETSC_ERR_MEM : PETSC_ERR_LIB, "specmv could not %s: %s: %s",
          what, specmvStatusName(status), specmvGetLastErrorDetail());
}

} // namespace specmv::petsc
