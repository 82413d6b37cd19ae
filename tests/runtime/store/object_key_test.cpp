// Tests that an object's key depends on exactly the templates that its source includes.
#include "models/lab/families/families.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/store/cache.h"
#include "tests/generator/formats/one_format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <doctest/doctest.h>

#include <set>

using namespace specmv;
using namespace specmv::testing;

namespace {

std::string sha256Of(const std::string &text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)), /*LowerCase=*/true);
}

// The digest of a file and everything that it includes, as embed.cmake defines it.
std::string expansionDigestOf(const EmbeddedFile &file) {
  const std::string source = "#include \"" + std::string(file.name) + "\"\n";
  std::string lines;
  for (const EmbeddedFile &each : expansionOf(source))
    lines += std::string(each.name) + " " + sha256Of(each.text) + "\n";
  return sha256Of(lines);
}

std::string diaSource() {
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=20"));
  const Offer offer = offerOf(a, "dia");
  return offer.format->source(offer.plans.at(0), kDouble).text;
}

CacheKey keyOf(const std::string &source, const std::vector<EmbeddedFile> &headers) {
  return objectKey(source, headers, compileOptions("sm_90"), "sm_90");
}

} // namespace

TEST_CASE("the digest of a template is one of its text and of all that it includes") {
  std::set<std::string> digests;
  for (const EmbeddedFile &file : embeddedTemplates()) {
    CAPTURE(file.name);
    CHECK(file.digest == expansionDigestOf(file));
    digests.insert(file.digest);
  }
  CHECK(digests.size() == embeddedTemplates().size());
}

TEST_CASE("a key has the digests of the templates that its source includes, and no others") {
  const std::string source = diaSource();
  std::set<std::string> own;
  for (const EmbeddedFile &file : expansionOf(source))
    own.emplace(file.name);
  CHECK(own == std::set<std::string>{"dia.cuh", "shared/constants.cuh", "shared/device.cuh",
                                     "shared/load.cuh", "shared/operands.cuh",
                                     "shared/several.cuh"});
  std::vector<EmbeddedFile> headers = includedBy(source);
  REQUIRE(headers.size() == 1);
  CHECK(headers.front().name == std::string("dia.cuh"));
  const std::string before = keyOf(source, headers).id;
  headers.front().digest = "another";
  CHECK(keyOf(source, headers).id != before);
}
