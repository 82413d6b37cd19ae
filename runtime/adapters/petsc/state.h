// The adapter keeps this with a matrix: settings, the functions of its type, and plans.
#pragma once

#include "runtime/adapters/petsc/specmv_petsc.h"

#include <array>
#include <type_traits>

// Until 3.19 a PetscErrorCode was an int.
#if !PETSC_VERSION_GE(3, 19, 0)
#define PETSC_SUCCESS 0
#endif

namespace specmv::petsc {

// A function of the table of operations, which MatGetOperation() gives: its type has changed.
template <class Function> Function pointeeOf(PetscErrorCode (*)(Mat, MatOperation, Function *));
using AnyFunction = std::remove_pointer_t<decltype(pointeeOf(MatGetOperation))>;

using Converter = PetscErrorCode(Mat, MatType, MatReuse, Mat *);

// specmv has no complex values, and none in half or quadruple precision.
#if !PetscDefined(USE_COMPLEX) && (PetscDefined(USE_REAL_DOUBLE) || PetscDefined(USE_REAL_SINGLE))
inline constexpr bool kCanMultiply = true;
#else
inline constexpr bool kCanMultiply = false;
#endif

// The options -mat_specmv_* say this.
struct Settings {
  PetscInt products = 0; // expected; 0: not known
  specmvRigor_t rigor = SPECMV_RIGOR_ESTIMATE;
  PetscBool view = PETSC_FALSE;
};

// A product that has a plan of its own.
enum Turn { forward, transposed, turns };

struct Prepared {
  specmvPlan_t plan = nullptr;
  bool onGpu = false;
  bool updatable = false;
  bool stale = false; // the values have changed since
};

// The operations that are taken over, in the order of operations() in take.cpp.
inline constexpr size_t kOperations = 9;

struct State {
  // MatHeaderReplace() and MatHeaderMerge() put the data of another matrix into one, with its
  // number, and move states.
  Mat self = nullptr;
  PetscObjectId id = 0;
  bool parallel = false;
  Settings settings;
  std::array<AnyFunction *, kOperations> own = {}; // what the type's own table had
  // The matrix as it was when it was last looked at.
  PetscObjectState values = 0, structure = 0;
  const PetscInt *rowPtr = nullptr, *col = nullptr;
  PetscInt rows = 0, cols = 0, nnz = 0;
  std::array<Prepared, turns> prepared;
  PetscInt64 plans = 0, updates = 0, products = 0;
};

// --- state.cpp

// Sets *state to the state of the matrix, or to nullptr if it has none.
PetscErrorCode findState(Mat A, State **state);
PetscErrorCode findOrMakeState(Mat A, State **state);
PetscErrorCode removeState(Mat A);
PetscErrorCode readSettings(Mat A, Settings *settings);
// Sets *error to the PETSc error of a call of specmv that failed while the adapter did `what`.
PetscErrorCode check(specmvStatus_t status, const char *what);

// --- take.cpp

// Takes over the operations of a matrix of the AIJ family. `fresh`: its type has just been set.
PetscErrorCode hook(Mat A, const Settings &settings, bool fresh);
// Gives all operations back; the state stays.
PetscErrorCode release(Mat A, State &state);
// Takes all operations over again.
PetscErrorCode takeAll(Mat A, State &state);
// Takes over what a call of the type has put into the table.
PetscErrorCode takeProducts(Mat A, State &state);
// Takes over the blocks of a matrix in parallel, which may have been replaced.
PetscErrorCode hookBlocks(Mat A, State &state);
// The state of a matrix whose operations are ours. MatHeaderMerge() may keep them without it.
PetscErrorCode stateOf(Mat A, State **state);
PetscErrorCode isAij(Mat A, PetscBool *aij, PetscBool *parallel);
// The type's own function of an operation that is taken over.
AnyFunction *ownFunction(const State &state, MatOperation operation);

// --- composed.cpp

// Takes over what the type has composed with the matrix, and gives it back.
PetscErrorCode takeComposed(Mat A, const State &state);
PetscErrorCode releaseComposed(Mat A, const State &state);
// Sets *own to the type's own function where ours is composed by this name, else to nullptr.
PetscErrorCode findOwnComposed(Mat A, const char *name, AnyFunction *ours, AnyFunction **own);
// The conversion that MatConvert() meant when it found ours by its name.
PetscErrorCode findOwnConverter(Mat A, MatType to, Converter **own);

// --- products.cpp, products of one process and of several

PetscErrorCode mult(Mat A, Vec x, Vec y);
PetscErrorCode multAdd(Mat A, Vec x, Vec y, Vec z);
PetscErrorCode multTranspose(Mat A, Vec x, Vec y);
PetscErrorCode multTransposeAdd(Mat A, Vec x, Vec y, Vec z);

// --- lifecycle.cpp, what changes a matrix or makes another of it

PetscErrorCode assemblyEnd(Mat A, MatAssemblyType type);
PetscErrorCode duplicate(Mat A, MatDuplicateOption option, Mat *B);
PetscErrorCode bindToCpu(Mat A, PetscBool bound);
PetscErrorCode convert(Mat A, MatType type, MatReuse reuse, Mat *B);

// These write values or columns, and raise no state of the matrix.
inline constexpr const char *kRetrieveValues = "MatRetrieveValues_C";
inline constexpr const char *kSetColumnIndices = "MatSeqAIJSetColumnIndices_C";
inline constexpr const char *kResetPreallocation = "MatResetPreallocation_C";
PetscErrorCode retrieveValues(Mat A);
PetscErrorCode setColumnIndices(Mat A, PetscInt *columns);
PetscErrorCode resetPreallocation(Mat A);
// This one raises no state of the matrices that it fills again.
PetscErrorCode createSubMatrices(Mat A, PetscInt count, const IS *rows, const IS *cols,
                                 MatReuse reuse, Mat **parts);

// --- watch.cpp

// Looks at what has changed since the last product of a matrix of one process.
PetscErrorCode watch(Mat A, State &state);
// Takes over the blocks of a matrix in parallel, and tells them if it has new values.
PetscErrorCode watchBlocks(Mat A, State &state);

// --- plans.cpp

// The values have changed: the next product takes new ones.
void makeStale(State &state);
PetscErrorCode destroyPlans(State &state);
// Sees to it that there is a plan with the values of now.
PetscErrorCode prepare(Mat A, State &state, Turn turn, bool onGpu);

// --- library.cpp, what all matrices share

specmvContext_t sharedContext();
// Events of -log_view.
enum Event { makePlan, newValues, events };
PetscLogEvent logEvent(Event event);
// The stream on which PETSc puts its work of now, and the number of its GPU.
PetscErrorCode currentStream(void **stream);
PetscErrorCode currentDevice(int *device);
// Waits for that stream.
PetscErrorCode synchronizeStream();

} // namespace specmv::petsc
