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

PetscErrorCode findRigor(const char *text, specmvRigor_t *rigor) {
  constexpr std::array<std::pair<const char *, specmvRigor_t>, 4> kRigors = {{
      {"estimate", SPECMV_RIGOR_ESTIMATE},
      {"trial", SPECMV_RIGOR_TRIAL},
      {"measure", SPECMV_RIGOR_MEASURE},
      {"exhaustive", SPECMV_RIGOR_EXHAUSTIVE},
  }};
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  for (const auto &[name, value] : kRigors) {
    PetscCall(PetscStrcmp(text, name, &same));
    if (!same)
      continue;
    *rigor = value;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
          "-mat_specmv_rigor %s is none of estimate, trial, measure and exhaustive", text);
}

using RigorText = std::array<char, 32>;

// -help lists the options that are asked for in this way.
PetscErrorCode askFor(Mat A, Settings *settings, RigorText &rigor) {
  PetscOptions options = nullptr;
  const char *prefix = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetOptions(reinterpret_cast<PetscObject>(A), &options));
  PetscCall(MatGetOptionsPrefix(A, &prefix));
  PetscOptionsBegin(PetscObjectComm(reinterpret_cast<PetscObject>(A)), prefix,
                    "specmv (Mat) options", "Mat");
  PetscOptionsObject->options = options;
  PetscCall(PetscOptionsInt("-mat_specmv_products", "The expected number of products; 0: very many",
                            "MatSpecmvAttach", settings->products, &settings->products, nullptr));
  PetscCall(PetscOptionsString("-mat_specmv_rigor",
                               "How to choose a plan on a GPU: estimate, trial, measure or "
                               "exhaustive",
                               "MatSpecmvAttach", rigor.data(), rigor.data(), rigor.size(),
                               nullptr));
  PetscCall(PetscOptionsBool("-mat_specmv_view", "Print a line per plan", "MatSpecmvAttach",
                             settings->view, &settings->view, nullptr));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
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
  RigorText rigor = {"estimate"};

  PetscFunctionBegin;
  PetscCall(askFor(A, settings, rigor));
  PetscCheck(
      settings->products >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
      "-mat_specmv_products %lld is negative: give the number of products that you expect, or 0",
      static_cast<long long>(settings->products));
  PetscCall(findRigor(rigor.data(), &settings->rigor));
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
