// The two matrices of the adapter's benchmarks: the 7-point Laplacian of PETSc's ksp ex45 and the
// linear elasticity of its ex56, on grids of n points a side.
#pragma once

#include <petscksp.h>

#include <array>
#include <cmath>

namespace specmv::bench {

// The corners of a cube of 8 nodes.
using Corner = std::array<PetscInt, 3>;
inline constexpr std::array<Corner, 8> kCorners = {
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
using Stiffness = std::array<PetscScalar, 24 * 24>;

// Derivatives of the shape function of a corner at a point of the unit cube.
inline std::array<double, 3> gradient(const Corner &corner, const std::array<double, 3> &at) {
  std::array<double, 3> value = {}, slope = {}, result = {};
  for (size_t d = 0; d < 3; ++d) {
    value[d] = corner[d] ? at[d] : 1 - at[d];
    slope[d] = corner[d] ? 1 : -1;
  }
  for (size_t d = 0; d < 3; ++d)
    result[d] = slope[d] * value[(d + 1) % 3] * value[(d + 2) % 3];
  return result;
}

// Adds one point of integration, of weight 1/8. lambda and mu are those of E = 1 and nu = 0.3.
inline void addPoint(Stiffness &stiffness, const std::array<double, 3> &at) {
  constexpr double kNu = 0.3, kLambda = kNu / ((1 + kNu) * (1 - 2 * kNu)), kMu = 0.5 / (1 + kNu);
  for (size_t a = 0; a < 8; ++a)
    for (size_t b = 0; b < 8; ++b) {
      const std::array<double, 3> ga = gradient(kCorners[a], at), gb = gradient(kCorners[b], at);
      const double dot = ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2];
      for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 3; ++j)
          stiffness[(3 * a + i) * 24 + 3 * b + j] +=
              (kLambda * ga[i] * gb[j] + kMu * ga[j] * gb[i] + (i == j ? kMu * dot : 0)) / 8;
    }
}

// Gauss's two points in each direction.
inline Stiffness hexahedron() {
  Stiffness stiffness = {};
  const double half = 0.5 / std::sqrt(3.0);
  for (double x : {0.5 - half, 0.5 + half})
    for (double y : {0.5 - half, 0.5 + half})
      for (double z : {0.5 - half, 0.5 + half})
        addPoint(stiffness, {x, y, z});
  return stiffness;
}

inline PetscErrorCode assemble(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

inline PetscErrorCode makePoisson(PetscInt n, Mat *A) {
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n * n * n, n * n * n, 7, nullptr, A));
  for (PetscInt row = 0; row < n * n * n; ++row) {
    const std::array<PetscInt, 3> at = {row % n, row / n % n, row / n / n}, step = {1, n, n * n};
    PetscCall(MatSetValue(*A, row, row, 6, INSERT_VALUES));
    for (size_t d = 0; d < 3; ++d) {
      if (at[d] > 0)
        PetscCall(MatSetValue(*A, row, row - step[d], -1, INSERT_VALUES));
      if (at[d] < n - 1)
        PetscCall(MatSetValue(*A, row, row + step[d], -1, INSERT_VALUES));
    }
  }
  PetscCall(assemble(*A));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

// The nodes at the bottom are fixed: they have a row of the diagonal alone, and other rows a zero
// there. Within a ball the material is a thousand times as soft, as in ex56.
inline PetscErrorCode addElement(PetscInt n, const Corner &at, const Stiffness &hard, Mat A) {
  std::array<PetscInt, 8> nodes = {};
  Stiffness stiffness = hard;
  double distance = 0;

  PetscFunctionBegin;
  for (size_t d = 0; d < 3; ++d)
    distance += std::pow((static_cast<double>(at[d]) + 0.5) / static_cast<double>(n - 1) - 0.5, 2);
  for (size_t a = 0; a < 8; ++a)
    nodes[a] = at[0] + kCorners[a][0] + n * (at[1] + kCorners[a][1] + n * (at[2] + kCorners[a][2]));
  for (size_t i = 0; i < 24; ++i)
    for (size_t j = 0; j < 24; ++j) {
      PetscScalar &value = stiffness[i * 24 + j];
      const bool fixed = nodes[i / 3] < n * n || nodes[j / 3] < n * n;
      if (distance < 0.25 * 0.25)
        value *= 1e-3;
      if (fixed)
        value = i == j ? 1 : 0;
    }
  PetscCall(MatSetValuesBlocked(A, 8, nodes.data(), 8, nodes.data(), stiffness.data(), ADD_VALUES));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

// The six movements of a rigid body, of which GAMG makes its coarse grids.
inline PetscErrorCode setRigidBody(PetscInt n, Mat A) {
  Vec places = nullptr;
  PetscScalar *place = nullptr;
  MatNullSpace space = nullptr;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 3 * n * n * n, &places));
  PetscCall(VecSetBlockSize(places, 3));
  PetscCall(VecGetArrayWrite(places, &place));
  for (PetscInt node = 0; node < n * n * n; ++node) {
    place[3 * node] = static_cast<double>(node % n);
    const PetscInt line = node / n;
    place[3 * node + 1] = static_cast<double>(line % n);
    place[3 * node + 2] =
        static_cast<double>(line / n); // NOLINT(bugprone-integer-division): a whole number
  }
  PetscCall(VecRestoreArrayWrite(places, &place));
  PetscCall(MatNullSpaceCreateRigidBody(places, &space));
  PetscCall(MatSetNearNullSpace(A, space));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscCall(VecDestroy(&places));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

inline PetscErrorCode makeElasticity(PetscInt n, Mat *A) {
  const Stiffness hard = hexahedron();

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, 3 * n * n * n, 3 * n * n * n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(*A, 3));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSeqAIJSetPreallocation(*A, 81, nullptr));
  for (PetscInt z = 0; z < n - 1; ++z)
    for (PetscInt y = 0; y < n - 1; ++y)
      for (PetscInt x = 0; x < n - 1; ++x)
        PetscCall(addElement(n, {x, y, z}, hard, *A));
  PetscCall(assemble(*A));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

} // namespace specmv::bench
