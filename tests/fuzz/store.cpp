// Feeds the readers of runtime/: entries of the cache, packs, wisdom, and the lines of measured
// files.
#include "models/base/files.h"
#include "runtime/cli/bench/records.h"
#include "runtime/store/packs.h"
#include "runtime/store/wisdom.h"
#include "tests/fuzz/targets.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

namespace specmv::fuzz {

// --- Entries

static std::vector<std::string> entrySeeds() {
  return {packEntry(kObjectEntry, {"key", "NVRTC 13.0", "log", "source", "cubin"}),
          packEntry(kObjectEntry, {"", "", "", "", ""}), packEntry(kWisdomEntry, {"key", "text"})};
}

static void unpack(const EntryKind &kind, llvm::StringRef bytes) {
  const auto sections = unpackEntry(kind, bytes);
  if (!sections)
    return;
  require(sections->size() == kind.sections);
  for (const llvm::StringRef section : *sections)
    require(section.begin() >= bytes.begin() && section.end() <= bytes.end());
}

// Tries again with a correct digest, which random input would almost never have.
static void feedEntry(llvm::StringRef bytes) {
  const llvm::StringRef front = bytes.drop_back(std::min(bytes.size(), kDigestBytes));
  const std::string sound = front.str() + blake3Of(front);
  for (const EntryKind &kind : {kObjectEntry, kWisdomEntry}) {
    unpack(kind, bytes);
    unpack(kind, sound);
  }
}

// --- Packs

static const CacheKey &packedKey() {
  static const CacheKey key = makeKey(kWisdomEntry, {{"gpu", "h200"}});
  return key;
}

static std::vector<std::string> packSeeds() {
  const PackEntry one = packedWisdom(packedKey(), "text");
  const CacheKey other = makeKey(kWisdomEntry, {{"gpu", "h100"}});
  return {llvm::cantFail(packBytes("manifest\n", {one})), llvm::cantFail(packBytes("", {})),
          llvm::cantFail(packBytes("two\n", {one, packedWisdom(other, "more text")}))};
}

// Returns the pack with the correct digest of its index, if it has room for one.
static std::string withDigest(llvm::StringRef bytes) {
  std::string out = bytes.str();
  const auto [line, rest] = bytes.split('\n');
  llvm::SmallVector<llvm::StringRef, 8> words;
  line.split(words, ' ');
  uint64_t manifest = 0, entries = 0;
  if (words.size() != 5 || words[3].getAsInteger(10, manifest) ||
      words[4].getAsInteger(10, entries) || manifest > rest.size() || entries > rest.size())
    return out;
  const uint64_t at = line.size() + 1 + manifest + 24 * entries;
  if (at + kDigestBytes <= out.size())
    out.replace(at, kDigestBytes, blake3Of(bytes.take_front(at)));
  return out;
}

static void openPack(llvm::StringRef bytes) {
  const std::string path = "fuzz.pack";
  llvm::cantFail(writeWholeFile(path, [&](llvm::raw_ostream &out) { out << bytes; }));
  auto pack = PackFile::open(path);
  if (!pack) {
    require(!describe(pack.takeError()).second.empty());
    return;
  }
  require((*pack)->entries() <= bytes.size() / 24);
  if (const auto entry = (*pack)->find(kWisdomEntry, packedKey()))
    require(entry->sections.size() == kWisdomEntry.sections);
  (void)(*pack)->takeWarning();
}

static void feedPack(llvm::StringRef bytes) {
  openPack(bytes);
  openPack(withDigest(bytes));
}

// --- Wisdom

static std::vector<std::string> wisdomSeeds() {
  return {textOf({.plan = "csr_vector block=256"}), textOf({.plan = "dia dia.offsets=[-1,0,1]",
                                                            .chosen = Chosen::measured,
                                                            .predictedUs = 12.5,
                                                            .measuredUs = 13.25,
                                                            .object = std::string(32, '0'),
                                                            .setupUs = 450,
                                                            .signature = std::string(32, 'a'),
                                                            .products = 100})};
}

static void feedWisdom(llvm::StringRef text) {
  if (const auto wisdom = parseWisdom(text)) {
    const auto again = parseWisdom(textOf(*wisdom));
    require(again && textOf(*again) == textOf(*wisdom));
  }
}

// --- Measured files

static std::vector<std::string> measuredSeeds() {
  const std::string machine = R"({"arch":"sm_90","machine":"NVIDIA H200"})"
                              "\n",
                    product = R"({"format":"ell","matrix":"a","type":"f32","us":3.5})"
                              "\n",
                    summary =
                        R"({"cols":3,"csrBytes":40,"matrix":"a","nnz":3,"ratio":1.5,"rows":3,)"
                        R"("summary":true,"type":"f32","verified":true})"
                        "\n",
                    curves = R"({"curves":{"source":"measured"}})"
                             "\n";
  return {machine + product + summary, machine + curves + R"({"total":true})", machine + machine};
}

static void feedMeasured(llvm::StringRef text) {
  auto bench = cli::parseBench(text, "x");
  if (!bench)
    require(!describe(bench.takeError()).second.empty());
  else
    require(bench->kept <= text.size());
}

llvm::ArrayRef<Target> storeTargets() {
  static constexpr Target table[] = {{"entry", entrySeeds, feedEntry},
                                     {"pack", packSeeds, feedPack},
                                     {"wisdom", wisdomSeeds, feedWisdom},
                                     {"measured", measuredSeeds, feedMeasured}};
  return table;
}

} // namespace specmv::fuzz
