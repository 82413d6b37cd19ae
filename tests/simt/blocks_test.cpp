// Tests that a device numbers different blocks as the host does, also where their hashes collide,
// or refuses in the same words.
#include "generator/coding/encode.h"
#include "generator/setup/profile.h"
#include "templates/pack/block_hash.cuh"
#include "templates/pack/slots.cuh"
#include "tests/generator/coding/blocks_testing.h"
#include "tests/simt/packing_testing.h"

#include <bit>
#include <cmath>
#include <random>

using namespace specmv;
using namespace specmv::simt;
using namespace specmv::testing;

namespace {

using Block = std::vector<double>; // by columns

// Values as BCSR packs them, in steps of 32 blocks, of which the last are zeros.
std::vector<double> packedOf(const std::vector<Block> &blocks) {
  const auto places = std::ssize(blocks.front());
  std::vector<double> out(static_cast<size_t>(roundUp(std::ssize(blocks), 32) * places));
  for (int64_t block = 0; block < std::ssize(blocks); ++block)
    for (int64_t place = 0; place < places; ++place)
      out[static_cast<size_t>(bcsrSlot(block, place, places))] =
          blocks[static_cast<size_t>(block)][static_cast<size_t>(place)];
  return out;
}

template <class Value> void compareBlocks(const std::vector<Block> &blocks, const Plan &plan) {
  const std::vector<double> packed = packedOf(blocks);
  const std::vector<Value> values(packed.begin(), packed.end());
  const ValueType type = sizeof(Value) == 4 ? ValueType::f32 : ValueType::f64;
  CsrView view;
  const int64_t noRow[] = {0};
  view.rowPtr = noRow;
  view.indexType = IndexType::i64;
  view.valueType = type;
  Layout host = valuesAlone(plan, "val", type, std::ssize(values), true),
         device = valuesAlone(plan, "val", type, std::ssize(values), false);
  std::copy(values.begin(), values.end(), host.find("val")->as<Value>());
  HostWorkspace workspace(view, 1);
  llvm::cantFail(workspace.add("val", elementOf(type), std::ssize(values), Contents::undefined));
  llvm::cantFail(workspace.write("val", values.data(), std::ssize(values)));
  const auto onHost = describe(storeCoded(host, plan, {}));
  CHECK(describe(storeCodedOn(workspace, device, plan, {})) == onHost);
  if (!onHost.second.empty())
    return;
  const std::string difference = firstDifference(host, device, workspace);
  CHECK_MESSAGE(difference.empty(), difference);
}

void compareBlocks(const std::vector<Block> &blocks, int64_t r, int64_t c) {
  for (const char *values : {"blocks", "blocks8"}) {
    const Plan plan = blocksPlan(r, c, true, values);
    INFO(plan.text(), ", ", blocks.size(), " blocks");
    compareBlocks<double>(blocks, plan);
    compareBlocks<float>(blocks, plan);
  }
}

// Draws so many blocks from so many different ones, in no order.
std::vector<Block> mixed(size_t count, int different, size_t places) {
  std::mt19937 random(static_cast<unsigned>(count) + static_cast<unsigned>(different));
  std::vector<Block> out(count, Block(places, -1.5));
  for (Block &block : out)
    block.back() = static_cast<double>(random() % static_cast<unsigned>(different));
  return out;
}

// Different blocks of two values that all have the same place in a hash table.
std::vector<Block> colliding(size_t count, int most) {
  std::vector<Block> out;
  for (int64_t i = 0; out.size() < count; ++i) {
    const Block block = {static_cast<double>(i), 1};
    const auto hash = blockHash(
        2, [&](int place) { return std::bit_cast<uint64_t>(block[static_cast<size_t>(place)]); });
    if (hash % static_cast<uint64_t>(blockHashSlots(most)) == 7)
      out.push_back(block);
  }
  return out;
}

} // namespace

TEST_CASE("blocks are numbered on a device as on the host") {
  for (const size_t count : {1, 32, 33, 1000})
    for (const int different : {1, 2, 40, 255, 256, 257, 1000}) {
      compareBlocks(mixed(count, different, 9), 3, 3);
      compareBlocks(mixed(count, different, 1), 1, 1);
    }
  compareBlocks(mixed(300, 50, 64), 8, 8);
}

TEST_CASE("blocks that differ in a single bit are not equal on either side") {
  const double quiet = std::bit_cast<double>(uint64_t{0x7ff8000000000000}),
               other = std::bit_cast<double>(uint64_t{0x7ff8000020000000});
  const double values[] = {0.0,       -0.0,      quiet, other, -quiet, INFINITY,
                           -INFINITY, 0x1p-1074, 0.0,   other, -0.0,   std::nextafter(1.0, 2.0),
                           1.0};
  std::vector<Block> blocks;
  for (const double value : values)
    for (const double second : {0.0, -0.0})
      blocks.push_back({second, value, 1, value});
  compareBlocks(blocks, 2, 2);
}

TEST_CASE("blocks with equal hashes are told apart on a device") {
  const std::vector<Block> once = colliding(250, kMostBlocksInByte);
  std::vector<Block> blocks = once;
  blocks.insert(blocks.end(), once.rbegin(), once.rend());
  compareBlocks(blocks, 1, 2);
}

TEST_CASE("a device tells that a byte cannot number blocks, however many collide") {
  for (const size_t different : {256, 257, 600})
    compareBlocks(colliding(different, kMostBlocksInByte), 1, 2);
}

TEST_CASE("blocks are sampled on a device as on the host") {
  for (const TestMatrix &matrix : adversarialMatrices()) {
    INFO(matrix.name);
    for (const ValueType type : {ValueType::f32, ValueType::f64})
      for (const IndexType index : {IndexType::i32, IndexType::i64})
        withView(matrix, type, integerValues(matrix), [&](const CsrView &given) {
          withIndices(given, index, [&](const CsrView &a) {
            for (const auto &[r, c] : {std::pair(1, 2), std::pair(3, 3), std::pair(8, 5)}) {
              HostWorkspace workspace(a, 1);
              CHECK(llvm::cantFail(repeatedBlocksOn(workspace, r, c)) == repeatedBlocks(a, r, c));
            }
            return true;
          });
        });
  }
}
