// Encodes packed values on the host and by a kernel (templates/pack/encode.cuh).
#include "generator/coding/encode.h"

#include "generator/coding/store_blocks.h"
#include "generator/setup/packing.h"
#include "generator/setup/profile.h"
#include "generator/sources.h"
#include "models/base/parallel.h"
#include "templates/pack/code_of.cuh"
#include "templates/pack/pair_of_codes.cuh"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

namespace specmv {

using Words = std::vector<uint64_t>; // the bits of values

static Words listedBy(const Coding &coding, const Plan &plan, const ValueFacts &facts) {
  return coding.listed ? coding.listed(plan, facts) : Words();
}

// A number of a layout has the bits of a value; those of a float are a 32-bit number.
static void setNumbers(Layout &layout, const Coding &coding, const Words &listed, ValueType type) {
  for (size_t i = 0; coding.numberName && i < listed.size(); ++i)
    layout.setInteger(coding.numberName(i), type == ValueType::f32
                                                ? static_cast<int32_t>(listed[i])
                                                : static_cast<int64_t>(listed[i]));
}

// The bytes of so many values, with zeros behind those that are listed.
static std::vector<std::byte> tableOf(const Words &listed, const LayoutArray &table) {
  const size_t each = sizeOf(table.type);
  std::vector<std::byte> out(static_cast<size_t>(table.size()));
  for (size_t i = 0; i < listed.size(); ++i)
    std::memcpy(&out[i * each], &listed[i], each); // little-endian: the lower half is a float
  return out;
}

LayoutArray replaceValues(Layout &layout, const Plan &plan) {
  const auto at = llvm::find_if(
      layout.arrays, [&](const LayoutArray &array) { return array.name == layout.valueArray; });
  LayoutArray plain = std::move(*at);
  layout.arrays.erase(at);
  addFields(layout, codingOf(plan).fields(plan, plain.type, plain.count()));
  return plain;
}

Layout valuesAlone(const Plan &plan, const std::string &valueArray, ValueType type, int64_t slots,
                   bool isOnHost) {
  const Coding &coding = codingOf(plan);
  Layout out;
  out.isOnHost = isOnHost;
  out.valueArray = valueArray;
  if (coding.codes)
    out.add(valueArray, elementOf(type), slots);
  else
    addFields(out, coding.fields(plan, elementOf(type), slots));
  return out;
}

Layout withPlainValues(Layout coded, const Plan &plan, ValueType type, int64_t slots) {
  for (const Field &field : codingOf(plan).fields(plan, elementOf(type), slots)) {
    const std::string name = field.argument.layoutName();
    llvm::erase_if(coded.arrays, [&](const LayoutArray &array) { return array.name == name; });
    llvm::erase_if(coded.integers, [&](const auto &number) { return number.first == name; });
  }
  coded.isOnHost = false;
  coded.add(coded.valueArray, elementOf(type), slots);
  return coded;
}

// Entries a thread encodes at a time.
constexpr int64_t kEncodeGrain = 1 << 16;

// A thread makes whole bytes.
template <class Value, class Encode>
static void encodePairs(const LayoutArray &plain, LayoutArray &coded, const Encode &encode) {
  const Value *from = plain.as<Value>();
  auto *to = coded.as<uint8_t>();
  const int64_t slots = plain.count();
  parallelFor(coded.count(), kEncodeGrain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at)
      to[at] = static_cast<uint8_t>(
          pairOfCodes(encode(from[2 * at]), 2 * at + 1 < slots ? encode(from[2 * at + 1]) : 0));
  });
}

template <class Value, class Code, class Encode>
static void encodeAll(const LayoutArray &plain, LayoutArray &coded, const Encode &encode) {
  const Value *from = plain.as<Value>();
  Code *to = coded.as<Code>();
  parallelFor(plain.count(), kEncodeGrain, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot)
      to[slot] = static_cast<Code>(encode(from[slot]));
  });
}

template <class Value>
static void encodeTyped(const Coding &coding, const LayoutArray &plain, LayoutArray &coded,
                        const Words &listed) {
  using Word = decltype(bitsOf(Value()));
  const std::vector<Word> words(listed.begin(), listed.end());
  const auto code = [&](Value value) {
    return codeOf(bitsOf(value), words.data(), static_cast<int>(words.size()));
  };
  if (coded.type == ElementType::f32)
    encodeAll<Value, float>(plain, coded, [](Value value) { return value; });
  else if (coding.slotsPerCode == 2)
    encodePairs<Value>(plain, coded, code);
  else
    encodeAll<Value, uint8_t>(plain, coded, code);
}

llvm::Error storeCoded(Layout &layout, const Plan &plan, const ValueFacts &facts) {
  const Coding &coding = codingOf(plan);
  if (coding.mostBlocks > 0)
    return storeBlocks(layout, plan);
  const Words listed = listedBy(coding, plan, facts);
  if (coding.codes) {
    const LayoutArray plain = replaceValues(layout, plan);
    LayoutArray &coded = *layout.find(coding.codes);
    facts.type == ValueType::f32 ? encodeTyped<float>(coding, plain, coded, listed)
                                 : encodeTyped<double>(coding, plain, coded, listed);
  }
  setNumbers(layout, coding, listed, facts.type);
  if (coding.table) {
    LayoutArray &table = *layout.find(coding.table);
    llvm::copy(tableOf(listed, table), table.as<std::byte>());
  }
  return llvm::Error::success();
}

static SetupKernel encodeKernel(const Coding &coding, ElementType value, const char *plain,
                                int64_t listed, int64_t slots) {
  return setupKernel(
      coding.slotsPerCode == 2 ? "encodePairs" : "encode", "EncodeArgs", {value, coding.codeType},
      {array("plain", value, slots, plain), filled("coded", coding.codeType, coding.codes),
       pointerIf(coding.table, array("table", value, listed, coding.table ? coding.table : "")),
       narrowNumber("listed", listed), wideNumber("slots", slots)});
}

static KernelSource emitEncode(const Coding &coding, ValueType type) {
  return emitSetup("coded values",
                   {coding.slotsPerCode == 2 ? "pack/encode_pairs.cuh" : "pack/encode.cuh"},
                   {encodeKernel(coding, elementOf(type), "", 0, 0)});
}

template <const Coding &coding> static KernelSource emitEncodeOf(ValueType type) {
  return emitEncode(coding, type);
}

const KernelSource &encodeSource(const Coding &coding, ValueType type) {
  if (coding.mostBlocks > 0)
    return blocksSource(coding, type);
  if (coding.codeType == ElementType::f32)
    return emittedOnce<emitEncodeOf<kShortened>>(type);
  return coding.slotsPerCode == 2 ? emittedOnce<emitEncodeOf<kHalfByteCodes>>(type)
                                  : emittedOnce<emitEncodeOf<kCodes>>(type);
}

std::vector<const KernelSource *> codingSources(const Plan &plan, ValueType type,
                                                IndexType csrIndex) {
  const Coding &coding = codingOf(plan);
  std::vector<const KernelSource *> out;
  if (coding.fits)
    out.push_back(&valuesSource(type));
  if (coding.comparesDiagonals)
    out.push_back(&valueDiagonalsSource(csrIndex, type));
  if (coding.codes)
    out.push_back(&encodeSource(coding, type));
  return out;
}

static llvm::Error encodeOn(Workspace &w, const Coding &coding, const LayoutArray &plain,
                            int64_t listed) {
  const SetupKernel kernel =
      encodeKernel(coding, plain.type, plain.name.c_str(), listed, plain.count());
  const int64_t codes = ceilDiv(plain.count(), coding.slotsPerCode);
  const int64_t blocks = std::min(kEncodeBlocks, ceilDiv(codes, int64_t{kSetupBlock}));
  if (llvm::Error error = w.add(coding.codes, coding.codeType, codes, Contents::undefined))
    return error;
  if (llvm::Error error = w.launch(encodeSource(coding, w.csr().valueType), kernel, blocks))
    return error;
  w.drop(plain.name);
  return llvm::Error::success();
}

static llvm::Error writeTable(Workspace &w, const LayoutArray &table, const Words &listed) {
  if (llvm::Error error = w.add(table.name, table.type, table.count(), Contents::undefined))
    return error;
  return w.write(table.name, tableOf(listed, table).data(), table.count());
}

llvm::Error storeCodedOn(Workspace &w, Layout &layout, const Plan &plan, const ValueFacts &facts) {
  const Coding &coding = codingOf(plan);
  if (coding.mostBlocks > 0)
    return storeBlocksOn(w, layout, plan);
  const Words listed = listedBy(coding, plan, facts);
  std::optional<LayoutArray> plain;
  if (coding.codes)
    plain = replaceValues(layout, plan);
  setNumbers(layout, coding, listed, facts.type);
  if (coding.table)
    if (llvm::Error error = writeTable(w, *layout.find(coding.table), listed))
      return error;
  return plain ? encodeOn(w, coding, *plain, std::ssize(listed)) : llvm::Error::success();
}

} // namespace specmv
