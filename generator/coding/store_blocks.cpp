// Finds and numbers different blocks on the host and by kernels (templates/pack/block_codes.cuh).
#include "generator/coding/store_blocks.h"

#include "generator/coding/encode.h"
#include "generator/formats/bcsr/layout.h"
#include "generator/setup/packing.h"
#include "generator/sources.h"
#include "models/base/parallel.h"
#include "templates/pack/block_hash.cuh"
#include "templates/pack/slots.cuh"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_set>

namespace specmv {

namespace {
// The blocks of a plan's shape in packed values of a type.
struct BlockShapeOf {
  const Coding &coding;
  int64_t r, c;
  int places, valueBytes, stride, most;

  BlockShapeOf(const Plan &plan, ElementType value)
      : coding(codingOf(plan)), r(plan.get(key::kBcsrR)), c(plan.get(key::kBcsrC)),
        places(static_cast<int>(r * c)), valueBytes(static_cast<int>(sizeOf(value))),
        stride(blockStride(places, valueBytes)),
        most(mostBlocksOf(coding.mostBlocks, places, valueBytes)) {}

  int64_t valuesOfTable(int64_t different) const {
    return int64_t{roomForBlocks(static_cast<int>(different), most)} * stride;
  }
};
} // namespace

static llvm::Error tooManyBlocks(const BlockShapeOf &shape) {
  const std::string limit =
      shape.most < shape.coding.mostBlocks
          ? llvm::formatv(", whose table takes at most {0} bytes", int{kBlockTableBytes}).str()
          : "";
  const bool hasWider = shape.coding.mostBlocks < kMostBlocks;
  return fail(Status::notApplicable,
              "values={0} needs at most {1} different blocks of {2} x {3}{4}, but the matrix has "
              "more, with the zeros of places without an entry; use {5}values=plain",
              shape.coding.name, shape.most, shape.r, shape.c, limit,
              hasWider ? "values=blocks or " : "");
}

// --- On the host

namespace {
// Blocks with the same bits are equal. They are named by their places.
template <class Word> struct BlocksByBits {
  const Word *plain;
  int places;

  Word at(int64_t block, int place) const { return plain[bcsrSlot(block, place, places)]; }
  size_t operator()(int64_t block) const {
    return blockHash(places, [&](int place) { return at(block, place); });
  }
  bool operator()(int64_t block, int64_t other) const {
    for (int place = 0; place < places; ++place)
      if (at(block, place) != at(other, place))
        return false;
    return true;
  }
};

template <class Word> class DifferentBlocks {
public:
  DifferentBlocks(BlocksByBits<Word> blocks, int most) : set_(0, blocks, blocks), most_(most) {}

  // Returns false if there are too many. Keeps the first place.
  bool add(int64_t block) {
    const auto [at, isNew] = set_.insert(block);
    if (!isNew && block < *at) {
      set_.erase(at);
      set_.insert(block);
    }
    return std::ssize(set_) <= most_;
  }
  bool add(const DifferentBlocks &other) {
    return std::all_of(other.set_.begin(), other.set_.end(),
                       [&](int64_t block) { return add(block); });
  }
  std::vector<int64_t> inOrder() const {
    std::vector<int64_t> out(set_.begin(), set_.end());
    std::sort(out.begin(), out.end());
    return out;
  }
  int64_t firstLike(int64_t block) const { return *set_.find(block); }

private:
  std::unordered_set<int64_t, BlocksByBits<Word>, BlocksByBits<Word>> set_;
  int most_;
};
} // namespace

// Blocks a thread looks at together. For fewer, starting a thread would take longer.
constexpr int64_t kBlockGrain = 1 << 15;

// Returns false if there are too many.
template <class Word> static bool findDifferent(int64_t blocks, DifferentBlocks<Word> &all) {
  const DifferentBlocks<Word> none = all;
  std::mutex mutex;
  std::atomic<bool> areFew{true};
  parallelFor(blocks, kBlockGrain, [&](int64_t begin, int64_t end) {
    DifferentBlocks<Word> part = none;
    for (int64_t block = begin; block < end && areFew; ++block)
      if (!part.add(block))
        areFew = false;
    const std::lock_guard lock(mutex);
    if (areFew && !all.add(part))
      areFew = false;
  });
  return areFew;
}

template <class Word, class Code>
static void writeCodes(const DifferentBlocks<Word> &all, const std::vector<int64_t> &inOrder,
                       LayoutArray &codes) {
  Code *to = codes.as<Code>();
  parallelFor(codes.count(), kBlockGrain, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block)
      to[block] = static_cast<Code>(
          std::lower_bound(inOrder.begin(), inOrder.end(), all.firstLike(block)) - inOrder.begin());
  });
}

template <class Word>
static llvm::Error storeBlocksTyped(Layout &layout, const BlockShapeOf &shape,
                                    const LayoutArray &plain) {
  const BlocksByBits<Word> blocks{plain.as<Word>(), shape.places};
  DifferentBlocks<Word> all(blocks, shape.most);
  LayoutArray &codes = *layout.find(shape.coding.codes);
  if (!findDifferent(codes.count(), all))
    return tooManyBlocks(shape);
  const std::vector<int64_t> inOrder = all.inOrder();
  codes.type == ElementType::u8 ? writeCodes<Word, uint8_t>(all, inOrder, codes)
                                : writeCodes<Word, uint16_t>(all, inOrder, codes);
  layout.resize(shape.coding.table, shape.valuesOfTable(std::ssize(inOrder)));
  Word *table = layout.find(shape.coding.table)->as<Word>();
  for (size_t i = 0; i < inOrder.size(); ++i)
    for (int place = 0; place < shape.places; ++place)
      table[i * static_cast<size_t>(shape.stride) + static_cast<size_t>(place)] =
          blocks.at(inOrder[i], place);
  return llvm::Error::success();
}

llvm::Error storeBlocks(Layout &layout, const Plan &plan) {
  const LayoutArray plain = replaceValues(layout, plan);
  const BlockShapeOf shape(plan, plain.type);
  return shape.valueBytes == 4 ? storeBlocksTyped<uint32_t>(layout, shape, plain)
                               : storeBlocksTyped<uint64_t>(layout, shape, plain);
}

// --- On a device

constexpr const char *kBlockSlots = "blockSlots", *kSlotOfBlock = "slotOfBlock",
                     *kTakenSlots = "takenSlots", *kBlocksFound = "blocksFound",
                     *kNumberOfSlot = "numberOfSlot";

namespace {
// The packed values of a workspace, from which the arguments of the kernels follow.
struct BlockJob {
  BlockShapeOf shape;
  const LayoutArray &plain;
  int64_t blocks;

  BlockJob(const Plan &plan, const LayoutArray &packed)
      : shape(plan, packed.type), plain(packed), blocks(packed.count() / shape.places) {}

  // The kernels compare bits.
  ElementType word() const { return shape.valueBytes == 4 ? ElementType::u32 : ElementType::u64; }
  int64_t hashSlots() const { return blockHashSlots(shape.most); }
  Fields packed() const {
    Fields out = {array("plain", word(), plain.count(), plain.name.c_str()),
                  filled("slots", ElementType::u32, kBlockSlots), wideNumber("blocks", blocks),
                  narrowNumber("places", shape.places), narrowNumber("most", shape.most)};
    for (Field &field : out)
      field.argument.field = "packed";
    return out;
  }
};
} // namespace

static SetupKernel findBlocksKernel(const BlockJob &job) {
  return setupKernel("findBlocks", "FindBlocksArgs", {job.word()},
                     joined({job.packed(),
                             {filled("slotOf", ElementType::u32, kSlotOfBlock),
                              filled("taken", ElementType::u32, kTakenSlots),
                              filled("found", ElementType::u32, kBlocksFound)}}));
}

static SetupKernel numberBlocksKernel(const BlockJob &job, int64_t different) {
  return setupKernel(
      "numberBlocks", "NumberBlocksArgs", {job.word()},
      joined({job.packed(),
              {array("taken", ElementType::u32, job.shape.most, kTakenSlots),
               filled("numberOf", ElementType::u32, kNumberOfSlot),
               filled("table", job.word(), job.shape.coding.table),
               narrowNumber("different", different), narrowNumber("stride", job.shape.stride)}}));
}

static SetupKernel encodeBlocksKernel(const BlockJob &job) {
  const Coding &coding = job.shape.coding;
  return setupKernel("encodeBlocks", "EncodeBlocksArgs", {coding.codeType},
                     {array("slotOf", ElementType::u32, job.blocks, kSlotOfBlock),
                      array("numberOf", ElementType::u32, job.hashSlots(), kNumberOfSlot),
                      filled("coded", coding.codeType, coding.codes),
                      wideNumber("blocks", job.blocks)});
}

template <const Coding &coding> static KernelSource emitBlocksOf(ValueType type) {
  Plan plan; // whose numbers are arguments
  plan.integers = {{key::kBcsrR, 1}, {key::kBcsrC, 1}};
  plan.values = coding.name;
  const LayoutArray plain{.name = "", .type = elementOf(type)};
  const BlockJob job(plan, plain);
  return emitSetup("numbered blocks", {"pack/block_codes.cuh"},
                   {findBlocksKernel(job), numberBlocksKernel(job, 0), encodeBlocksKernel(job)});
}

const KernelSource &blocksSource(const Coding &coding, ValueType type) {
  return coding.codeType == ElementType::u8 ? emittedOnce<emitBlocksOf<kBlocksInByte>>(type)
                                            : emittedOnce<emitBlocksOf<kRepeatedBlocks>>(type);
}

// Returns the number of different blocks, or one more than the most.
static llvm::Expected<int64_t> findBlocksOn(Workspace &w, const BlockJob &job,
                                            const KernelSource &kernels) {
  for (const auto &[name, count, contents] :
       {std::tuple(kBlockSlots, job.hashSlots(), Contents::zeros),
        std::tuple(kSlotOfBlock, job.blocks, Contents::undefined),
        std::tuple(kTakenSlots, int64_t{job.shape.most}, Contents::undefined)})
    if (llvm::Error error = w.add(name, ElementType::u32, count, contents))
      return error;
  if (llvm::Error error = w.addScratch(kBlocksFound, ElementType::u32, 1, Contents::zeros))
    return error;
  const int64_t blocks = std::min(kEncodeBlocks, ceilDiv(job.blocks, int64_t{kSetupBlock}));
  if (llvm::Error error = w.launch(kernels, findBlocksKernel(job), blocks))
    return error;
  return readNumber(w, kBlocksFound, ElementType::u32, 0);
}

static llvm::Error numberBlocksOn(Workspace &w, const Layout &layout, const BlockJob &job,
                                  const KernelSource &kernels, int64_t different) {
  const LayoutArray &codes = *layout.find(job.shape.coding.codes),
                    &table = *layout.find(job.shape.coding.table);
  if (llvm::Error error = w.add(codes.name, codes.type, codes.count(), Contents::undefined))
    return error;
  if (llvm::Error error = w.add(table.name, table.type, table.count(), Contents::zeros))
    return error;
  if (llvm::Error error =
          w.add(kNumberOfSlot, ElementType::u32, job.hashSlots(), Contents::undefined))
    return error;
  if (llvm::Error error = w.launch(kernels, numberBlocksKernel(job, different),
                                   ceilDiv(different, int64_t{kSetupBlock})))
    return error;
  return w.launch(kernels, encodeBlocksKernel(job),
                  std::min(kEncodeBlocks, ceilDiv(job.blocks, int64_t{kSetupBlock})));
}

llvm::Error storeBlocksOn(Workspace &w, Layout &layout, const Plan &plan) {
  const LayoutArray plain = replaceValues(layout, plan);
  const BlockJob job(plan, plain);
  const KernelSource &kernels = blocksSource(job.shape.coding, w.csr().valueType);
  auto different = findBlocksOn(w, job, kernels);
  if (!different)
    return different.takeError();
  if (*different > job.shape.most)
    return tooManyBlocks(job.shape);
  layout.resize(job.shape.coding.table, job.shape.valuesOfTable(*different));
  if (llvm::Error error = numberBlocksOn(w, layout, job, kernels, *different))
    return error;
  w.drop(plain.name);
  for (const char *name : {kBlockSlots, kSlotOfBlock, kTakenSlots, kBlocksFound, kNumberOfSlot})
    w.drop(name);
  return llvm::Error::success();
}

} // namespace specmv
