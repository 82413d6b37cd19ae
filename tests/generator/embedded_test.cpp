// Tests of the templates that a source includes: all that it needs, each once, in a fixed order,
// and no others.
#include "generator/embedded.h"

#include "generator/format.h"
#include "tests/generator/formats/one_format.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

const EmbeddedFile kTemplates[] = {
    {"a.cuh", "#pragma once\n#include \"shared/c.cuh\"\n#include \"shared/d.cuh\"\nint a;\n", ""},
    {"b.cuh", "int b;\n", ""},
    {"shared/c.cuh", "#include \"shared/d.cuh\"\nint c;\n", ""},
    {"shared/d.cuh", "int d;\n", ""},
};

std::string namesIn(const std::string &source, llvm::ArrayRef<EmbeddedFile> templates) {
  std::string out;
  for (const EmbeddedFile &file : expansionOf(source, templates))
    out.append(out.empty() ? "" : " ").append(file.name);
  return out;
}

} // namespace

TEST_CASE("an expansion has what is included through others, each once and behind that") {
  CHECK(namesIn("#include \"a.cuh\"\nint x;\n", kTemplates) == "shared/d.cuh shared/c.cuh a.cuh");
  CHECK(namesIn("#include \"b.cuh\"\n#include \"shared/d.cuh\"\n#include \"b.cuh\"", kTemplates) ==
        "b.cuh shared/d.cuh");
  CHECK(namesIn("int x;\n// #include \"a.cuh\"\n#include \"e.cuh\"\n", kTemplates) == "");
  CHECK(namesIn("", kTemplates) == "");
}

TEST_CASE("an expansion does not depend on the order of the templates") {
  const EmbeddedFile reversed[] = {kTemplates[3], kTemplates[2], kTemplates[1], kTemplates[0]};
  const std::string source = "#include \"shared/c.cuh\"\n#include \"a.cuh\"\n";
  CHECK(namesIn(source, reversed) == namesIn(source, kTemplates));
}

TEST_CASE("templates that include each other end") {
  const EmbeddedFile ring[] = {{"a.cuh", "#include \"b.cuh\"\n", ""},
                               {"b.cuh", "#include \"a.cuh\"\n", ""}};
  CHECK(namesIn("#include \"a.cuh\"\n", ring) == "b.cuh a.cuh");
}

TEST_CASE("an emitted source has its own templates in its expansion, and not other formats'") {
  const Offer offer = offerOf(evenMatrix(64, 5), "ell");
  const std::string names =
      namesIn(offer.format->source(offer.plans.at(0), kDouble).text, embeddedTemplates());
  CHECK(names == "shared/constants.cuh shared/load.cuh shared/device.cuh shared/operands.cuh "
                 "shared/several.cuh shared/padded.cuh ell.cuh");
}
