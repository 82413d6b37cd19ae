// The object behind a handle of a fused step, and what is checked before it runs.
#pragma once

#include "runtime/api/handles.h"
#include "runtime/fused/fused_product.h"

namespace specmv {

struct ApiFused {
  specmvPlan *plan = nullptr; // which counts its steps
  Fusion fusion;
  std::vector<int64_t> lengths;          // of the vectors
  std::unique_ptr<FusedProduct> product; // null if the plan runs on the host
  // These ran the step before the plan changed; graphs may contain them.
  std::vector<std::unique_ptr<FusedProduct>> former = {};
  std::unique_ptr<ProductMarks> marks = std::make_unique<ProductMarks>();
};

// The step that the caller describes, for vectors of that type. Status::badCall if it is not
// allowed.
llvm::Expected<Fusion> fusionOf(const specmvFusion_t *given, ValueType vectors);

// Makes the step for the plan, whose set-up has ended.
llvm::Error makeFused(ApiFused &out, specmvPlan &plan, Fusion fusion);

// Makes what runs a step by the arrays of a product, which have the names of `base`.
llvm::Expected<std::unique_ptr<FusedProduct>>
fusedProductOf(const Fusion &fusion, const FusedBase &base, const PlanFacts &facts,
               const GpuProduct &product, Machine &machine);

// Checks the addresses of a call and puts the step on the stream.
llvm::Error executeFused(ApiFused &step, void *const *vectors, void *const *scalars, void *stream);

} // namespace specmv

struct specmvFused : specmv::Mark<0x7870436465737546>, specmv::ApiFused {};
