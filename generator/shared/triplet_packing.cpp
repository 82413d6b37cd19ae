// Describes the kernels that fill triplets.
#include "generator/shared/triplet_packing.h"

#include "templates/setup/sizes.cuh"

namespace specmv {

SetupLaunch tailCounting(const DeviceCsr &csr, int64_t k) {
  const ElementType index = elementOf(csr.indexType);
  return {setupKernel("tailCounts", "TailCountsArgs", {index},
                      {csrRowPtrOf(csr), filled(kTailStart, index), wideNumber("rows", csr.rows),
                       wideNumber("k", k)}),
          ceilDiv(csr.rows, kSetupBlock)};
}

static Field startsOfTails(const DeviceCsr &csr, const char *tailStart) {
  return array("tailStart", elementOf(csr.indexType), csr.rows + 1, tailStart);
}

static SetupLaunch openRowFilling(const DeviceCsr &csr, const Plan &plan, const Triplets &triplets,
                                  const char *tailStart) {
  const int64_t share = tripletShare(plan), boundaries = ceilDiv(triplets.count, share) + 1;
  const ElementType offset = indexTypesOf(plan).offset;
  return {setupKernel("tripletOpenRows", "TripletOpenRowsArgs", {elementOf(csr.indexType), offset},
                      {startsOfTails(csr, tailStart), array("row", offset, triplets.count),
                       filled("openFirst", ElementType::u32), filled("openLast", ElementType::u32),
                       wideNumber("count", triplets.count), wideNumber("share", share),
                       wideNumber("boundaries", boundaries)}),
          ceilDiv(boundaries, kSetupBlock)};
}

std::vector<SetupLaunch> tripletFillings(const DeviceCsr &csr, const Plan &plan,
                                         const Problem &problem, int64_t k,
                                         const Triplets &triplets, const char *tailStart) {
  const auto [value, offset, column] = typesOf(plan, problem);
  const SetupKernel fill =
      setupKernel("tripletFill", "TripletFillArgs", packTypes(csr.indexType, plan, problem),
                  joined({csrArraysOf(csr),
                          {startsOfTails(csr, tailStart), filled("row", offset),
                           filled("col", column, triplets.col), wideNumber("rows", csr.rows),
                           wideNumber("count", triplets.count), wideNumber("k", k),
                           wideNumber("valBegin", triplets.firstSlot)}}));
  return {{fill, ceilDiv(csr.rows + triplets.count, kTripletItems)},
          openRowFilling(csr, plan, triplets, tailStart)};
}

} // namespace specmv
