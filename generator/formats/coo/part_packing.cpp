// Describes the kernels that fill triplets on a GPU (templates/pack/triplets.cuh).
#include "generator/formats/coo/part.h"

#include "templates/setup/sizes.cuh"

namespace specmv {

static Field startsOf(const DeviceCsr &csr, const Share &share) {
  return array("tailStart", elementOf(csr.indexType), csr.rows + 1, share.starts);
}

static SetupLaunch openRowFilling(const DeviceCsr &csr, const Plan &plan, const Share &share) {
  const int64_t perBlock = tripletShare(plan), boundaries = ceilDiv(share.entries, perBlock) + 1;
  const ElementType offset = indexTypesOf(plan).offset;
  return {setupKernel("tripletOpenRows", "TripletOpenRowsArgs", {elementOf(csr.indexType), offset},
                      {startsOf(csr, share), array("row", offset, share.entries),
                       filled("openFirst", ElementType::u32), filled("openLast", ElementType::u32),
                       wideNumber("count", share.entries), wideNumber("share", perBlock),
                       wideNumber("boundaries", boundaries)}),
          ceilDiv(boundaries, kSetupBlock)};
}

static std::vector<SetupLaunch> tripletFillings(const DeviceCsr &csr, const Plan &plan,
                                                const Problem &problem, const Share &share) {
  const auto [value, offset, column] = typesOf(plan, problem);
  const SetupKernel fill = setupKernel(
      "tripletFill", "TripletFillArgs", packTypes(csr.indexType, plan, problem),
      joined({csrArraysOf(csr),
              {startsOf(csr, share), filled("row", offset), filled("col", column, share.col),
               wideNumber("rows", csr.rows), wideNumber("count", share.entries),
               wideNumber("k", share.first), wideNumber("valBegin", share.firstSlot)}}));
  return {{fill, ceilDiv(csr.rows + share.entries, kTripletItems)},
          openRowFilling(csr, plan, share)};
}

const PartPacking kTripletPacking{"pack/triplets.cuh", tripletFillings};

} // namespace specmv
