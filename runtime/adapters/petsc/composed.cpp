// Functions that a type composes with its matrices, by name: conversions, and those that write
// behind the states of a matrix. The type's own function stays composed under a second name, since
// a copy of the matrix gets its list of functions, and not its state.
#include "runtime/adapters/petsc/state.h"

namespace specmv::petsc {

namespace {

// The types of the family: a conversion between two of them ends in
// the same kind of matrix.
constexpr std::array<const char *, 9> kFamily = {"aij",     "aijcusparse",  "aijkokkos",
                                                 "aijperm", "aijsell",      "aijmkl",
                                                 "aijcrl",  "aijhipsparse", "aijviennacl"};

struct Writer {
  const char *name;
  AnyFunction *ours;
};

// PETSc's other functions that write values or columns tell it by a state, in 3.18 and in 3.25:
// they end with an assembly, or get the array by a function that raises the object's state.
const std::array<Writer, 3> kWriters = {{
    {kRetrieveValues, reinterpret_cast<AnyFunction *>(retrieveValues)},
    {kSetColumnIndices, reinterpret_cast<AnyFunction *>(setColumnIndices)},
    {kResetPreallocation, reinterpret_cast<AnyFunction *>(resetPreallocation)},
}};

using Name = std::array<char, 96>;

PetscErrorCode nameConverter(Mat A, const char *prefix, const char *to, Name &name) {
  MatType from = nullptr;

  PetscFunctionBegin;
  PetscCall(MatGetType(A, &from));
  PetscCall(PetscSNPrintf(name.data(), name.size(), "MatConvert_%s_%s%s_C", from, prefix, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode nameOwn(const char *name, Name &own) {
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(own.data(), own.size(), "specmv_%s", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode take(Mat A, const char *name, AnyFunction *ours) {
  AnyFunction *function = nullptr;
  Name own = {};

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(A), name, &function));
  if (!function || function == ours)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(nameOwn(name, own));
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), own.data(), function));
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), name, ours));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode giveBack(Mat A, const char *name, AnyFunction *ours) {
  AnyFunction *own = nullptr;

  PetscFunctionBegin;
  PetscCall(findOwnComposed(A, name, ours, &own));
  if (own)
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), name, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode forEach(Mat A, const State &state,
                       PetscErrorCode (*run)(Mat, const char *, AnyFunction *)) {
  Name name = {};

  PetscFunctionBegin;
  for (const char *to : kFamily) {
    PetscCall(nameConverter(A, state.parallel ? "mpi" : "seq", to, name));
    PetscCall(run(A, name.data(), reinterpret_cast<AnyFunction *>(convert)));
  }
  for (const Writer &writer : kWriters)
    PetscCall(run(A, writer.name, writer.ours));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode findOwnComposed(Mat A, const char *name, AnyFunction *ours, AnyFunction **own) {
  AnyFunction *function = nullptr;
  Name second = {};

  PetscFunctionBegin;
  *own = nullptr;
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(A), name, &function));
  if (function != ours)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(nameOwn(name, second));
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(A), second.data(), own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode findOwnConverter(Mat A, MatType to, Converter **own) {
  AnyFunction *function = nullptr;
  Name name = {};

  PetscFunctionBegin;
  for (const char *prefix : {"seq", "mpi", ""}) {
    PetscCall(nameConverter(A, prefix, to, name));
    PetscCall(findOwnComposed(A, name.data(), reinterpret_cast<AnyFunction *>(convert), &function));
    if (function)
      break;
  }
  *own = reinterpret_cast<Converter *>(function);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode takeComposed(Mat A, const State &state) {
  PetscFunctionBegin;
  PetscCall(forEach(A, state, take));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode releaseComposed(Mat A, const State &state) {
  PetscFunctionBegin;
  PetscCall(forEach(A, state, giveBack));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace specmv::petsc
