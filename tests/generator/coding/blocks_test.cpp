// Tests the codings of whole blocks: which blocks are equal, how they are numbered, and how many
// different ones fit.
#include "generator/coding/coding.h"
#include "generator/formats.h"
#include "models/base/error.h"
#include "tests/generator/coding/blocks_testing.h"
#include "tests/generator/coding/refusal_testing.h"
#include "tests/generator/edge_matrices.h"

#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>

using namespace specmv;
using namespace specmv::testing;

namespace {

llvm::Expected<Layout> packedBlocks(const CsrMatrix &a, const Plan &plan) {
  return findFormat("bcsr")->layout(a.view(), plan, {});
}

// The codes and the table, whose blocks have two values.
struct CodedBlocks {
  Layout layout;
  explicit CodedBlocks(const CsrMatrix &a, const Plan &plan)
      : layout(llvm::cantFail(packedBlocks(a, plan))) {}

  int64_t codeOf(int64_t block) const {
    const LayoutArray &codes = *layout.find("blockCode");
    return codes.type == ElementType::u8 ? codes.as<uint8_t>()[block] : codes.as<uint16_t>()[block];
  }
  int64_t countOfCodes() const { return layout.find("blockCode")->count(); }
  uint64_t inTable(int64_t at) const { return layout.find("blockTable")->as<uint64_t>()[at]; }
  int64_t tableCount() const { return layout.find("blockTable")->count(); }
};

} // namespace

TEST_CASE("blocks are numbered by their first places, and equal if their bits are") {
  const double quiet = std::bit_cast<double>(uint64_t{0x7ff8000000000001}),
               other = std::bit_cast<double>(uint64_t{0x7ff8000000000002});
  const std::vector<std::vector<double>> blocks = {{3, 4}, {0.0, 1},   {-0.0, 1}, {quiet, 1},
                                                   {3, 4}, {other, 1}, {0.0, 1},  {quiet, 1}};
  const CsrMatrix a = blockDiagonal(blocks, 1, 2);
  for (const char *values : {"blocks", "blocks8"}) {
    const CodedBlocks packed(a, blocksPlan(1, 2, true, values));
    CHECK(packed.layout.find("val") == nullptr);
    const int64_t want[] = {0, 1, 2, 3, 0, 4, 1, 3};
    for (int64_t block = 0; block < 8; ++block) {
      CHECK(packed.codeOf(block) == want[block]);
      for (int64_t i = 0; i < 2; ++i)
        CHECK(packed.inTable(2 * want[block] + i) ==
              std::bit_cast<uint64_t>(blocks[static_cast<size_t>(block)][static_cast<size_t>(i)]));
    }
    // The lanes of a slice after the last row have the block of zeros.
    CHECK((packed.countOfCodes() == 32 && packed.codeOf(31) == 5));
    CHECK((packed.inTable(10) == 0 && packed.inTable(11) == 0));
  }
}

TEST_CASE("blocks: a table has its blocks in whole 16 bytes and room for a power of two") {
  const CodedBlocks odd(blockDiagonal({{1, 2, 3}}, 3, 1), blocksPlan(3, 1, true, "blocks"));
  CHECK(odd.tableCount() == 4 * 256);
  CHECK(odd.inTable(2) == std::bit_cast<uint64_t>(3.0));
  CHECK(odd.inTable(3) == 0);
  const CodedBlocks more(differentBlocks(257, 288, 1, 2), blocksPlan(1, 2, true, "blocks"));
  CHECK(more.tableCount() == 2 * 512);
  CHECK(more.codeOf(256) == 256);
}

TEST_CASE("blocks: masks do not make blocks differ, and missing places have zeros") {
  // The blocks (1, 0) and (1, none) are equal.
  const CsrMatrix a{.name = "",
                    .rows = 3,
                    .cols = 6,
                    .rowPtr = {0, 2, 3, 4},
                    .col = {0, 1, 2, 5},
                    .val = {1, 0, 1, 1}};
  const CodedBlocks packed(a, blocksPlan(1, 2, false, "blocks8"));
  CHECK(packed.codeOf(0) == 0);
  CHECK(packed.codeOf(1) == 0);
  CHECK(packed.codeOf(2) == 1);
  const LayoutArray &mask = *packed.layout.find("mask");
  CHECK((mask.as<uint8_t>()[0] == 3 && mask.as<uint8_t>()[1] == 1 && mask.as<uint8_t>()[2] == 2));
}

TEST_CASE("blocks: as many different ones as a code can number fit, and not one more") {
  const auto refusalOf = [](int different, const char *values, int64_t r = 1) {
    return whyRefused(packedBlocks(differentBlocks(different, roundUp(different, 32), r, 2),
                                   blocksPlan(r, 2, true, values)));
  };
  CHECK(refusalOf(256, "blocks8").empty());
  CHECK(refusalOf(257, "blocks8") ==
        "values=blocks8 needs at most 256 different blocks of 1 x 2, but the matrix has more, with "
        "the zeros of places without an entry; use values=blocks or values=plain");
  CHECK(refusalOf(32768, "blocks", 2).empty());
  CHECK(refusalOf(32769, "blocks", 2) ==
        "values=blocks needs at most 32768 different blocks of 2 x 2, whose table takes at most "
        "1048576 bytes, but the matrix has more, with the zeros of places without an entry; use "
        "values=plain");
}

TEST_CASE("blocks: in f32 there are 65,536 different ones of two values at most") {
  for (const int different : {65536, 65537}) {
    const CsrMatrix a = differentBlocks(different, roundUp(different, 32), 1, 2);
    const std::vector<float> narrow(a.val.begin(), a.val.end());
    CsrView view = a.view();
    view.valueType = ValueType::f32;
    view.val = narrow.data();
    auto layout =
        findFormat("bcsr")->layout(view, blocksPlan(1, 2, true, "blocks"), Problem{ValueType::f32});
    REQUIRE(static_cast<bool>(layout) == (different == 65536));
    if (layout)
      CHECK(layout->find("blockCode")->as<uint16_t>()[65535] == 65535);
    else
      CHECK(describe(layout.takeError()).second ==
            "values=blocks needs at most 65536 different blocks of 1 x 2, but the matrix has more, "
            "with the zeros of places without an entry; use values=plain");
  }
}

TEST_CASE("blocks: a matrix without entries, and one of a single block") {
  const CsrMatrix none{.name = "", .rows = 1, .cols = 1, .rowPtr = {0, 0}, .col = {}, .val = {}};
  CHECK(CodedBlocks(none, blocksPlan(3, 3, false, "blocks")).countOfCodes() == 0);
  const CsrMatrix one{.name = "", .rows = 1, .cols = 1, .rowPtr = {0, 1}, .col = {0}, .val = {7}};
  const CodedBlocks packed(one, blocksPlan(3, 3, false, "blocks"));
  CHECK(packed.inTable(0) == std::bit_cast<uint64_t>(7.0));
  CHECK(packed.codeOf(1) == 1);
}

TEST_CASE("blocks: repeated entries are added before blocks are compared") {
  const CsrMatrix a{.name = "",
                    .rows = 2,
                    .cols = 4,
                    .rowPtr = {0, 3, 5},
                    .col = {0, 0, 1, 2, 3},
                    .val = {1, 2, 5, 3, 5}};
  const CodedBlocks packed(a, blocksPlan(1, 2, false, "blocks"));
  CHECK(packed.codeOf(0) == packed.codeOf(1));
  CHECK(packed.inTable(0) == std::bit_cast<uint64_t>(3.0));
}

TEST_CASE("blocks are only for bcsr, and no facts about values choose them") {
  Plan rows = *parsePlan("csr-scalar block=256 offset=32 column=32 values=blocks");
  CHECK(describe(findFormat("csr-scalar")->check(rows, {})).second ==
        "csr-scalar has no values=blocks, which is for bcsr; use values=plain");
  const CsrMatrix a = differentBlocks(1, 64, 3, 3);
  const Coding *coding = codingThatFits(blocksPlan(3, 3, true, "blocks"), valueFacts(a.view()));
  REQUIRE(coding);
  CHECK(coding->mostBlocks == 0);
}
