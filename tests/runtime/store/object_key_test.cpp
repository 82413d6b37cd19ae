// Tests of what an object's key depends on: the templates that its source includes, and no others.
#include "models/families/families.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/store/cache.h"
#include "tests/generator/formats/one_format.h"

#include <doctest/doctest.h>

#include <set>

using namespace specmv;
using namespace specmv::testing;

namespace {

// The key of a source where the text of the template `name` is another.
CacheKey keyWithChanged(const std::string &source, const std::string &name) {
  std::vector<EmbeddedFile> templates = embeddedTemplates();
  const std::string text = "// changed\n";
  bool found = name.empty();
  std::string changed;
  for (EmbeddedFile &file : templates)
    if (file.name == name) {
      changed = text + file.text;
      file.text = changed.c_str();
      found = true;
    }
  REQUIRE(found);
  return objectKey(source, closureOf(source, templates), compileOptions("sm_90"), "sm_90");
}

std::string diaSource() {
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=20"));
  const Offer offer = offerOf(a, "dia");
  return offer.format->source(offer.plans.at(0), kDouble).text;
}

} // namespace

TEST_CASE("a change of a template changes the keys of the sources that include it, and no others") {
  const std::string source = diaSource();
  const std::string before = keyWithChanged(source, "").id;
  const std::set<std::string> own{"dia.cuh", "shared/constants.cuh", "shared/device.cuh",
                                  "shared/load.cuh", "shared/several.cuh"};
  for (const EmbeddedFile &file : embeddedTemplates()) {
    const std::string name = file.name;
    CAPTURE(name);
    CHECK((keyWithChanged(source, name).id == before) == !own.contains(name));
  }
}
