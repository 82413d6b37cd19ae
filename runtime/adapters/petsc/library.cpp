// All matrices share this: the types, the option for all matrices, the context of plans, events,
// streams.
#include "runtime/adapters/petsc/state.h"

#include <petscdevice.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace specmv::petsc {

namespace {

// It lives from MatSpecmvInitializePackage() to PetscFinalize().
struct Library {
  bool initialized = false;
  specmvContext_t context = nullptr;
  std::array<PetscLogEvent, events> logEvents = {};
  // The types that keep the data of an aijspecmv: of any number of processes, of one, of several.
  const char *base = MATAIJ, *sequentialBase = MATSEQAIJ, *parallelBase = MATMPIAIJ;
};
Library library;

using Creator = PetscErrorCode(Mat);

// Types that -mat_specmv_all takes over: their names, with the functions that were registered.
struct BaseType {
  const char *name;
  Creator *own;
  Creator *ours;
};

template <size_t i> PetscErrorCode createHooked(Mat A);

std::array<BaseType, 4> baseTypes = {{{MATSEQAIJ, nullptr, createHooked<0>},
                                      {MATMPIAIJ, nullptr, createHooked<1>},
                                      {"seqaijcusparse", nullptr, createHooked<2>},
                                      {"mpiaijcusparse", nullptr, createHooked<3>}}};

PetscErrorCode hookFresh(Mat A) {
  Settings settings;

  PetscFunctionBegin;
  PetscCall(readSettings(A, &settings));
  PetscCall(hook(A, settings, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <size_t i> PetscErrorCode createHooked(Mat A) {
  PetscFunctionBegin;
  PetscCall(baseTypes[i].own(A));
  PetscCall(hookFresh(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode takeBaseTypes() {
  PetscFunctionBegin;
  for (BaseType &type : baseTypes) {
    Creator *registered = nullptr;
    PetscCall(PetscFunctionListFind(MatList, type.name, &registered));
    if (!registered || registered == type.ours)
      continue;
    type.own = registered;
    PetscCall(MatRegister(type.name, type.ours));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The option -matconvert_type would make MatConvert() come back to aijspecmv for ever.
PetscErrorCode convertToBase(Mat A, MatReuse reuse, Mat *B) {
  std::array<char, 256> name = {}, type = {};
  PetscOptions options = nullptr;
  const char *prefix = nullptr;
  PetscBool set = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetOptions(reinterpret_cast<PetscObject>(A), &options));
  PetscCall(MatGetOptionsPrefix(A, &prefix));
  PetscCall(
      PetscOptionsGetString(options, prefix, "-matconvert_type", type.data(), type.size(), &set));
  PetscCall(PetscSNPrintf(name.data(), name.size(), "-%smatconvert_type", prefix ? prefix : ""));
  if (set)
    PetscCall(PetscOptionsClearValue(options, name.data()));
  PetscCall(MatConvert(A, library.base, reuse, B));
  if (set)
    PetscCall(PetscOptionsSetValue(options, name.data(), type.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The data go to the base type, if they are in another one, and the products to specmv.
PetscErrorCode convertFrom(Mat A, MatType, MatReuse reuse, Mat *B) {
  Settings settings;

  PetscFunctionBegin;
  PetscCall(readSettings(A, &settings));
  PetscCall(convertToBase(A, reuse, B));
  PetscCall(hook(*B, settings, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// MatConvert() looks at a matrix of the new type for the conversion from all others.
PetscErrorCode createOn(Mat A, const char *base) {
  PetscFunctionBegin;
  PetscCall(MatSetType(A, base));
  PetscCall(MatSetOperation(A, MATOP_CONVERT_FROM, reinterpret_cast<AnyFunction *>(convertFrom)));
  PetscCall(hookFresh(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode createSequential(Mat A) { return createOn(A, library.sequentialBase); }

PetscErrorCode createParallel(Mat A) { return createOn(A, library.parallelBase); }

// Returns the number of processes on this machine, as Open MPI and MPICH tell it in the
// environment, or else the number of all processes. MPI has a function for it, but all processes
// would have to call that together, and this one may be called by a single process.
int processesHere() {
  for (const char *name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"})
    if (const char *text = secure_getenv(name); text && std::atoi(text) > 0)
      return std::atoi(text);
  PetscMPIInt size = 1;
  return MPI_Comm_size(PETSC_COMM_WORLD, &size) == MPI_SUCCESS ? size : 1;
}

// Each process uses its share of the cores of its machine.
specmvStatus_t createContext() {
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  options.threads = std::max(1, cores / processesHere());
  return specmvCreateContext(&library.context, &options);
}

// The data are kept on the GPU if PETSc has CUDA and the machine has a GPU that works. The call
// opens the GPU, and so finds out. It frees only what no plan uses.
void chooseBase() {
  if (!PetscDefined(HAVE_CUDA) || specmvReleaseDevice(0) != SPECMV_STATUS_SUCCESS)
    return;
  library.base = "aijcusparse";
  library.sequentialBase = "seqaijcusparse";
  library.parallelBase = "mpiaijcusparse";
}

// The numbers of operations are those of one version.
PetscErrorCode checkVersion() {
  PetscInt major = 0, minor = 0;

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(&major, &minor, nullptr, nullptr));
  PetscCheck(
      major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR, PETSC_COMM_SELF, PETSC_ERR_LIB,
      "this libspecmv_petsc.so was built for PETSc %d.%d, and the program has %d.%d: build it with "
      "the "
      "program's PETSC_DIR",
      PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, static_cast<int>(major), static_cast<int>(minor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode registerTypes() {
  PetscFunctionBegin;
  PetscCall(MatRegister(MATSEQAIJSPECMV, createSequential));
  PetscCall(MatRegister(MATMPIAIJSPECMV, createParallel));
  PetscCall(MatRegisterRootName(MATAIJSPECMV, MATSEQAIJSPECMV, MATMPIAIJSPECMV));
  PetscCall(PetscLogEventRegister("SpecmvPlan", MAT_CLASSID, &library.logEvents[makePlan]));
  PetscCall(PetscLogEventRegister("SpecmvValues", MAT_CLASSID, &library.logEvents[newValues]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode finalize() {
  PetscFunctionBegin;
  specmvDestroyContext(library.context);
  library = {};
  for (BaseType &type : baseTypes)
    type.own = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

specmvContext_t sharedContext() { return library.context; }

PetscLogEvent logEvent(Event event) { return library.logEvents[event]; }

PetscErrorCode currentStream(void **stream) {
  PetscFunctionBegin;
  *stream = nullptr;
#if PETSC_VERSION_GE(3, 20, 0) && PetscDefined(HAVE_CUDA)
  PetscDeviceContext context = nullptr;
  void *handle = nullptr;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetStreamHandle(context, &handle));
  if (handle)
    *stream = *static_cast<void **>(handle);
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode currentDevice(int *device) {
  PetscFunctionBegin;
  *device = 0;
#if PetscDefined(HAVE_CUDA)
  PetscDeviceContext context = nullptr;
  PetscDevice current = nullptr;
  PetscInt number = 0;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetDevice(context, &current));
  PetscCall(PetscDeviceGetDeviceId(current, &number));
  *device = static_cast<int>(number);
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode synchronizeStream() {
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  PetscDeviceContext context = nullptr;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextSynchronize(context));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace specmv::petsc

using namespace specmv::petsc;

PetscErrorCode MatSpecmvInitializePackage() {
  PetscBool all = PETSC_FALSE;

  PetscFunctionBegin;
  if (library.initialized)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(checkVersion());
  library.initialized = true;
  PetscCall(PetscRegisterFinalize(finalize));
  PetscCall(check(createContext(), "make a context"));
  chooseBase();
  PetscCall(registerTypes());
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "specmv for all matrices (Mat) options", "Mat");
  PetscCall(PetscOptionsBool("-mat_specmv_all",
                             "specmv takes every matrix of the types aij and aijcusparse",
                             "MatSpecmvInitializePackage", all, &all, nullptr));
  PetscOptionsEnd();
  if (all)
    PetscCall(takeBaseTypes());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscDLLibraryRegister_specmv_petsc() { return MatSpecmvInitializePackage(); }
