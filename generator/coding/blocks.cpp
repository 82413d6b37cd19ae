// Stores blocks of BCSR that repeat, as in the matrix of a uniform mesh with several unknowns per
// node: each block has the number of its values in a table of the different blocks, in 16 bits, or
// in a byte where 256 suffice.
#include "generator/coding/blocks.h"

#include "generator/formats/bcsr/layout.h"
#include "templates/pack/block_sizes.cuh"
#include "templates/setup/sizes.cuh"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

constexpr const char *kBlockCode = "blockCode", *kBlockTable = "blockTable";

static int placesIn(const Plan &plan) {
  return static_cast<int>(plan.get(key::kBcsrR) * plan.get(key::kBcsrC));
}

static std::string viewOfBlocks(const Plan &plan, ElementType stored) {
  return llvm::formatv("specmv::BlockValues<{0}, {1}, {2}>", deviceNameOf(stored),
                       deviceNameOf(codingOf(plan).codeType),
                       blockStride(placesIn(plan), static_cast<int>(sizeOf(stored))));
}

// Packing knows the size of the table. Until then, it has the least.
static Fields blockFields(const Plan &plan, ElementType stored, int64_t slots) {
  const Coding &coding = codingOf(plan);
  const int places = placesIn(plan), bytes = static_cast<int>(sizeOf(stored));
  const int room = roomForBlocks(0, mostBlocksOf(coding.mostBlocks, places, bytes));
  Fields out = {array(coding.codes, coding.codeType, slots / places),
                array(coding.table, stored, int64_t{room} * blockStride(places, bytes))};
  for (Field &field : out)
    field.argument.field = "val";
  return out;
}

static constexpr Coding codingOfBlocks(const char *name, ElementType codeType, int most,
                                       const char *gist) {
  return {.name = name,
          .header = "coding/blocks.cuh",
          .view = viewOfBlocks,
          .fields = blockFields,
          .format = "bcsr",
          .entryTask = kStoreValue,
          .codes = kBlockCode,
          .codeType = codeType,
          .mostBlocks = most,
          .table = kBlockTable,
          .survivesNewValues = false,
          .gist = gist};
}

const Coding kRepeatedBlocks =
    codingOfBlocks("blocks", ElementType::u16, kMostBlocks,
                   "the blocks repeat, so that each has 16 bits in place of its values");
const Coding kBlocksInByte = codingOfBlocks(
    "blocks8", ElementType::u8, kMostBlocksInByte,
    "the blocks repeat and few differ, so that each has a byte in place of its values");

// A table that is chosen is at most as large as the largest that was timed: 2,701 blocks of 3 x 3
// in double, which take two thirds of the time of plain values on an H200.
constexpr double kChosenTableBytes = 2701 * 80;
// The estimate is a lower bound. So many times as many different blocks must fit.
constexpr double kForUnseen = 4;
// If one of so many sampled blocks was seen just once, most of the blocks may be like none.
constexpr int64_t kMostSeenOnce = 64;

bool mayNumber(const Coding &coding, const RepeatedBlocks &sample, ValueType type) {
  const int places = static_cast<int>(sample.r * sample.c), bytes = static_cast<int>(sizeOf(type));
  const double different = sample.estimated() + 1; // with the zeros of places without a block
  return sample.once <= sample.sampled / kMostSeenOnce &&
         different * blockStride(places, bytes) * bytes <= kChosenTableBytes &&
         different * kForUnseen <= mostBlocksOf(coding.mostBlocks, places, bytes);
}

} // namespace specmv
