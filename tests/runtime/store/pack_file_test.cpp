// Tests of packs: entries are read back unchanged, the bytes depend only on the entries, and any
// fault of a file is a refusal or a miss with one warning.
#include "runtime/store/packs.h"

#include "models/base/error.h"
#include "tests/runtime/scratch_directory.h"
#include "llvm/Support/Endian.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

CacheKey packedKey(const std::string &source) { return objectKey(source, {}, {}, "sm_90"); }

CachedObject packedCubin(const std::string &bytes) {
  return {{bytes.begin(), bytes.end()}, "", "NVRTC 13.0", "log of " + bytes};
}

std::vector<PackEntry> threeEntries() {
  return {packedObject(packedKey("a"), packedCubin("cubin a")),
          packedObject(packedKey("b"), packedCubin("")),
          packedWisdom(makeKey(kWisdomEntry, {{"signature", "s"}}), "wisdom")};
}

std::string threePacked() { return llvm::cantFail(packBytes("the manifest\n", threeEntries())); }

// Opens the pack of these bytes, or returns the message of its refusal.
std::shared_ptr<const PackFile> openedPack(const std::string &bytes, std::string *why = nullptr) {
  static const ScratchDirectory scratch;
  writeFile(scratch.path() + "/pack", bytes);
  auto pack = PackFile::open(scratch.path() + "/pack");
  if (pack)
    return *pack;
  auto [status, sentence] = describe(pack.takeError());
  CHECK(status == Status::badInput);
  if (why)
    *why = sentence;
  return nullptr;
}

std::string cubinIn(const Cache &cache, const std::string &source) {
  const auto found = cache.find(packedKey(source));
  return found ? std::string(found->cubin.begin(), found->cubin.end()) : "none";
}

// Makes a pack of one entry with a valid index of arbitrary content.
std::string packOf(const std::string &line, const std::string &manifest,
                   const std::vector<std::pair<char, uint64_t>> &index,
                   const std::string &entries) {
  std::string bytes = line + "\n" + manifest;
  for (const auto &[id, size] : index) {
    char length[sizeof(uint64_t)];
    llvm::support::endian::write64le(length, size);
    bytes += std::string(16, id) + std::string(length, sizeof length);
  }
  return bytes + blake3Of(bytes) + entries;
}

} // namespace

TEST_CASE("what was packed is found, by the key's whole digest") {
  const auto pack = openedPack(threePacked());
  REQUIRE(pack);
  CHECK(pack->manifest() == "the manifest\n");
  CHECK(pack->entries() == 3);
  const Cache cache({}, "", {pack});
  CHECK(cubinIn(cache, "a") == "cubin a");
  CHECK(cubinIn(cache, "b") == "");
  CHECK(cubinIn(cache, "c") == "none");
  CHECK(cache.find(packedKey("a"))->compiler == "NVRTC 13.0");
  CHECK(cache.find(packedKey("a"))->log == "log of cubin a");
  CHECK(cache.findWisdom(makeKey(kWisdomEntry, {{"signature", "s"}})) ==
        std::vector<std::string>{"wisdom"});
  CHECK(pack->has(packedKey("a").id));
  CHECK_FALSE(pack->has("../../etc/passwd"));
  // Another key with the same id is a miss, not damage.
  CHECK_FALSE(cache.find({packedKey("b").digest, packedKey("a").id}));
  CHECK(pack->takeWarning() == "");
}

TEST_CASE("a pack is the same to the byte in whatever order its entries come") {
  std::vector<PackEntry> entries = threeEntries();
  const std::string bytes = llvm::cantFail(packBytes("the manifest\n", entries));
  std::swap(entries[0], entries[2]);
  entries.push_back(entries[1]);
  CHECK(llvm::cantFail(packBytes("the manifest\n", entries)) == bytes);
  CHECK(bytes.substr(0, 19) == "specmv pack 3 13 3\n");
}

TEST_CASE("a pack has an entry once, however often it comes") {
  std::vector<PackEntry> twice = threeEntries();
  for (const PackEntry &entry : threeEntries())
    twice.push_back(entry);
  CHECK(llvm::cantFail(packBytes("the manifest\n", twice)) == threePacked());
}

TEST_CASE("a pack without entries is a pack") {
  const auto pack = openedPack(llvm::cantFail(packBytes("", {})));
  REQUIRE(pack);
  CHECK(cubinIn(Cache({}, "", {pack}), "a") == "none");
}

TEST_CASE("whatever byte is changed, wherever a pack is cut or continued, nothing wrong is found") {
  const std::string intact = threePacked();
  const auto holds = [](const std::string &bytes) {
    const auto pack = openedPack(bytes);
    if (!pack)
      return 0;
    Cache cache({}, "", {pack});
    int found = 0;
    for (const auto &[source, cubin] : {std::pair{"a", "cubin a"}, {"b", ""}}) {
      const std::string got = cubinIn(cache, source);
      CHECK((got == cubin || got == "none"));
      found += got == cubin;
    }
    found += cache.findWisdom(makeKey(kWisdomEntry, {{"signature", "s"}})) ==
             std::vector<std::string>{"wisdom"};
    CHECK(cache.takeWarnings().size() == (found < 3 ? 1 : 0));
    CHECK(cache.takeWarnings().empty());
    return found;
  };
  CHECK(holds(intact) == 3);
  for (size_t i = 0; i < intact.size(); ++i) {
    std::string flipped = intact;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
    const int found = holds(flipped);
    CHECK((found == 0 || found == 2)); // the index refuses the pack, an entry only itself
    CHECK(holds(intact.substr(0, i)) == 0);
  }
  CHECK(holds(intact + "x") == 0);
}

TEST_CASE("an intact index that lies is refused, and costs neither memory nor a read beyond") {
  const auto whyNot = [](const std::string &bytes) {
    std::string why;
    CHECK_FALSE(openedPack(bytes, &why));
    return why;
  };
  const auto has = [](const std::string &text, const char *part) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  };
  REQUIRE(openedPack(packOf("specmv pack 3 1 1", "m", {{'a', 3}}, "abc")));
  has(whyNot(""), "its first line is not that of a pack");
  has(whyNot("specmv objects 3 1 1\n"), "its first line is not that of a pack");
  has(whyNot(packOf("specmv pack 3 1", "m", {}, "")), "its first line is not that of a pack");
  has(whyNot(packOf("specmv pack 3 1 1 1", "m", {{'a', 3}}, "abc")),
      "its first line is not that of a pack");
  has(whyNot(packOf("specmv pack 1 1 1", "m", {{'a', 3}}, "abc")), "version is 1, and");
  const std::string huge = "18446744073709551615";
  has(whyNot(packOf("specmv pack 3 " + huge + " 1", "m", {{'a', 3}}, "abc")), "too large");
  has(whyNot(packOf("specmv pack 3 1 " + huge, "m", {{'a', 3}}, "abc")), "too large");
  has(whyNot(packOf("specmv pack 3 1 1" + huge, "m", {{'a', 3}}, "abc")),
      "its first line is not that of a pack");
  has(whyNot(packOf("specmv pack 3 1 2000000", "m", {{'a', 3}}, "abc")), "shorter than its index");
  has(whyNot(packOf("specmv pack 3 1 1", "m", {{'a', 4}}, "abc")), "shorter than its entries");
  has(whyNot(packOf("specmv pack 3 1 2", "m", {{'a', 3}, {'b', ~uint64_t{0}}}, "abc")),
      "shorter than its entries");
  has(whyNot(packOf("specmv pack 3 1 1", "m", {{'a', 2}}, "abc")), "longer than its entries");
  has(whyNot(packOf("specmv pack 3 1 2", "m", {{'b', 1}, {'a', 2}}, "abc")), "not sorted");
  has(whyNot(packOf("specmv pack 3 1 2", "m", {{'a', 1}, {'a', 2}}, "abc")), "not sorted");
}

TEST_CASE("a pack that is cut while it is open is a miss and one warning") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/pack", bytes = threePacked();
  writeFile(path, bytes);
  Cache cache({}, "", {llvm::cantFail(PackFile::open(path))});
  std::filesystem::resize_file(path, bytes.size() / 4);
  CHECK(cubinIn(cache, "a") == "none");
  CHECK(cubinIn(cache, "b") == "none");
  const std::vector<std::string> warnings = cache.takeWarnings();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find(path) != std::string::npos);
}

// A former bug: the pack was called damaged.
TEST_CASE("a pack with entries of another version is a miss, and says so") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/pack";
  PackEntry entry = packedObject(packedKey("a"), packedCubin("a"));
  const std::string now = "specmv objects " + std::to_string(kCacheVersion);
  REQUIRE(entry.bytes.rfind(now, 0) == 0);
  entry.bytes.replace(0, now.size(), "specmv objects " + std::to_string(kCacheVersion + 1));
  writeFile(path, llvm::cantFail(packBytes("", {entry})));
  Cache cache({}, "", {llvm::cantFail(PackFile::open(path))});
  CHECK(cubinIn(cache, "a") == "none");
  const std::vector<std::string> warnings = cache.takeWarnings();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("has entries of another version of specmv") != std::string::npos);
  CHECK(warnings[0].find("damaged") == std::string::npos);
  CHECK(cubinIn(cache, "a") == "none");
  CHECK(cache.takeWarnings().empty());
}

// A former bug: the pack was written, but no reader accepted it.
TEST_CASE("a pack beyond what a reader takes is not made") {
  auto made = packBytes(std::string(kMaxEntryBytes + 1, 'm'), {});
  REQUIRE_FALSE(made);
  const auto [status, sentence] = describe(made.takeError());
  CHECK(status == Status::badInput);
  CHECK(sentence.find("list of 67108865 bytes are too many") != std::string::npos);
  const std::string most(kMaxEntryBytes, 'm');
  CHECK(openedPack(llvm::cantFail(packBytes(most, {}))));
}

TEST_CASE("a pack is opened once, and again after it was made again") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/pack";
  CHECK(describe(packAt(path).takeError()).first == Status::missing);
  CHECK(describe(packAt(scratch.path()).takeError()).first == Status::missing);
  writeFile(path, threePacked());
  const auto first = llvm::cantFail(packAt(path));
  CHECK(llvm::cantFail(packAt(path)) == first);
  writeFile(path, llvm::cantFail(packBytes("another manifest\n", threeEntries())));
  CHECK(llvm::cantFail(packAt(path))->manifest() == "another manifest\n");
  CHECK(first->find(kObjectEntry, packedKey("a"))); // whoever has it may go on with it
}

TEST_CASE("packs of SPECMV_CACHE_PATH, the standard pack and those of a call are looked into") {
  const ScratchDirectory scratch;
  const auto packed = [&](const std::string &source) {
    std::string path = scratch.path() + "/" + source + ".pack";
    writeFile(path, llvm::cantFail(
                        packBytes("", {packedObject(packedKey(source), packedCubin(source))})));
    return path;
  };
  setenv("SPECMV_CACHE_PATH", packed("listed").c_str(), 1);
  setenv("SPECMV_STANDARD_PACK", packed("standard").c_str(), 1);
  setenv("SPECMV_CACHE_DIR", (scratch.path() + "/own").c_str(), 1);
  CHECK(describe(addPack(scratch.path() + "/absent")).first == Status::missing);
  for (int again = 0; again < 2; ++again)
    CHECK_FALSE(static_cast<bool>(addPack(packed("added"))));
  CHECK(addedPacks().size() == 2); // the second is another file of that name
  Cache({}, scratch.path() + "/own").store(packedKey("own"), packedCubin("own"));
  for (CacheUse use : {CacheUse::all, CacheUse::packsOnly}) {
    Cache cache = Cache::open(use);
    for (const char *source : {"listed", "standard", "added"})
      CHECK(cubinIn(cache, source) == source);
    CHECK(cubinIn(cache, "own") == (use == CacheUse::all ? "own" : "none"));
    CHECK(cache.takeWarnings().empty());
  }
  writeFile(scratch.path() + "/standard.pack", "nonsense");
  CHECK(Cache::open().takeWarnings().size() == 1);
  for (const char *name : {"SPECMV_CACHE_PATH", "SPECMV_STANDARD_PACK", "SPECMV_CACHE_DIR"})
    unsetenv(name);
}
