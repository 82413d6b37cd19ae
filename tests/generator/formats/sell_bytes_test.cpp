// Tests of SELL with columns in bytes: arrays that are read back as the kernel reads them, the
// bytes of offsets, sizes that the profile foretells, offers and refusals.
#include "generator/formats/sell_bytes/layout.h"
#include "tests/generator/formats/one_format.h"
#include "tests/generator/layout_numbers.h"
#include "tests/text.h"

#include "models/lab/families/families.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

Plan bytesPlan(int64_t sigma, int64_t widest = 4) {
  return {"sell-bytes",
          {{"bytes.sigma", sigma},
           {"bytes.widest", widest},
           {"block", 128},
           {"offset", 32},
           {"column", 32}}};
}

// Reads a layout as the lanes of the kernel do.
class BytesReader {
public:
  BytesReader(const Layout &layout, int64_t rows, int64_t sigma)
      : rows_(rows), sigma_(sigma), heads_(numbersOf(layout, "heads")),
        bases_(numbersOf(layout, "bases")), words_(numbersOf(layout, "words")) {
    if (sigma > 1)
      perm_ = numbersOf(layout, "perm");
  }

  std::vector<SlotEntry> entries() {
    for (int64_t place = 0; place < rows_; ++place)
      readRow(place);
    std::sort(found_.begin(), found_.end());
    return found_;
  }

private:
  void readRow(int64_t place) {
    const int64_t slice = place / 32, lane = place % 32;
    const int64_t *const head = &heads_[4 * slice];
    const int64_t lines = head[4] - head[0];
    const int64_t row = sigma_ > 1 ? place - place % sigma_ + perm_[place] : place;
    int64_t words = head[2];
    for (int64_t four = 0; 4 * four < lines; ++four) {
      const int64_t bytes = bytesOf(head[3], four);
      for (int64_t line = 4 * four; line < std::min(lines, 4 * four + 4); ++line) {
        int64_t offset = 0;
        for (int64_t i = 0; i < bytes; ++i)
          offset |= (words_[32 * (words + i) + lane] >> 8 * (line % 4) & 0xff) << 8 * i;
        if (offset != (int64_t{1} << 8 * bytes) - 1)
          found_.push_back({row, bases_[4 * head[1] + line] + offset,
                            lineSlot(head[0] * 32, static_cast<int>(lines), static_cast<int>(line),
                                     static_cast<int>(lane))});
      }
      words += bytes;
    }
    CHECK(words == head[6]);
    CHECK(head[1] + (lines + 3) / 4 == head[5]);
  }

  static int64_t bytesOf(int64_t widths, int64_t four) {
    int64_t bytes = 1;
    for (int64_t end = 0; bytes < 4; ++bytes, widths >>= 10)
      if (four < (end += widths & 1023))
        break;
    return bytes;
  }

  int64_t rows_, sigma_;
  std::vector<int64_t> heads_, bases_, words_, perm_;
  std::vector<SlotEntry> found_;
};

void checkLayout(const CsrMatrix &a, int64_t sigma) {
  INFO(a.name, ", bytes.sigma = ", sigma);
  const Layout layout = llvm::cantFail(layoutOf(a, bytesPlan(sigma)));
  CHECK(BytesReader(layout, a.rows, sigma).entries() == slotEntriesOf(a, layout));
}

// Two rows with one entry each, in columns 0 and `range`.
CsrMatrix pairOf(int32_t range) {
  CsrMatrix a;
  a.name = "two columns";
  a.rows = 2;
  a.cols = int64_t{range} + 1;
  a.rowPtr = {0, 1, 2};
  a.col = {0, range};
  a.val = {1, 2};
  return a;
}

CsrMatrix family(const std::string &spec) { return llvm::cantFail(generateFamily(spec)); }

} // namespace

TEST_CASE("a kernel finds every entry of SELL with columns in bytes once, and no other") {
  for (const CsrMatrix &a : edgeMatrices())
    for (int64_t sigma : {1, 64, 1024})
      if (longestRow(a.view()) <= kMostLines)
        checkLayout(a, sigma);
  for (const char *spec : {"powerlaw:rows=3000,avg=8,max=900", "random:k=9,rows=2000,cols=300000",
                           "circuit:rows=1500", "fem2d:rows=2500", "spin:n=9"})
    if (const CsrMatrix a = family(spec); longestRow(a.view()) <= kMostLines)
      for (int64_t sigma : {1, 32, 1024})
        checkLayout(a, sigma);
}

TEST_CASE("an offset has as many bytes as its line's range needs, beside that of padding") {
  const std::pair<int64_t, int> bytesOf[] = {
      {0, 1},     {254, 1},           {255, 2},           {65534, 2},
      {65535, 3}, {(1 << 24) - 2, 3}, {(1 << 24) - 1, 4}, {(int64_t{1} << 31) - 2, 4}};
  for (const std::pair<int64_t, int> &each : bytesOf) {
    const int64_t range = each.first;
    const int bytes = each.second;
    CAPTURE(range);
    CHECK(bytesOfOffset(range) == bytes);
    CHECK(bytesWidestOf(range + 1) == bytes);
  }
  for (const int32_t range : {254, 255, 65534, 65535, (1 << 24) - 2, (1 << 24) - 1}) {
    const CsrMatrix a = pairOf(range);
    checkLayout(a, 1);
    const Layout layout = llvm::cantFail(layoutOf(a, bytesPlan(1)));
    CHECK(layout.find("words")->count() == 32 * bytesOfOffset(range));
  }
}

TEST_CASE("the lines of a slice have a slot for each lane") {
  for (int lines = 0; lines <= 9; ++lines) {
    std::vector<bool> seen(static_cast<size_t>(lines) * 32);
    for (int line = 0; line < lines; ++line)
      for (int lane = 0; lane < 32; ++lane) {
        const long long slot = lineSlot(64, lines, line, lane) - 64;
        REQUIRE(slot >= 0);
        REQUIRE(slot < lines * 32);
        CHECK_FALSE(seen[static_cast<size_t>(slot)]);
        seen[static_cast<size_t>(slot)] = true;
      }
  }
}

TEST_CASE("fours have the bytes of their widest line") {
  CHECK(foursUpTo(0, 9) == 0);
  CHECK(foursUpTo(3, 9) == 0);
  CHECK(foursUpTo(8, 9) == 2);
  CHECK(foursUpTo(9, 9) == 3);
}

TEST_CASE("the profile foretells the size of SELL with columns in bytes where it saw all windows") {
  for (const char *spec : {"fem2d:rows=30000", "random:k=9,rows=5000,cols=300000", "stencil7:n=20",
                           "powerlaw:rows=3000,avg=8,max=900", "kkt:n=9"}) {
    const CsrMatrix a = family(spec);
    for (int64_t sigma : {1, 1024}) {
      INFO(spec, ", bytes.sigma = ", sigma);
      const Offer offer = offerOf(a, "sell-bytes", {{"bytes.sigma", sigma}});
      REQUIRE(offer.plans.size() == 1);
      const Plan &plan = offer.plans[0];
      CHECK(trafficOf(a, plan, kDouble).storedBytes ==
            llvm::cantFail(layoutOf(a, plan)).storedBytes());
    }
  }
}

TEST_CASE("without lines in the sample, offsets are priced as the widest") {
  const CsrMatrix a = family("random:k=9,rows=5000,cols=300000");
  SparsityProfile seen = profile(a.view());
  const Plan plan = offerOf(seen, "sell-bytes").plans.at(0);
  const int64_t before = trafficOf(seen, plan, kDouble).storedBytes;
  for (LineCount &count : seen.lines)
    count = {count.window, 0, {}};
  CHECK(trafficOf(seen, plan, kDouble).storedBytes >= before);
}

TEST_CASE("rows are sorted for SELL with columns in bytes only if that saves padding") {
  CHECK(offerOf(family("random:k=5,rows=3000"), "sell-bytes").plans.size() == 1);
  CHECK(offerOf(family("random:k=20,spread=0.9,rows=3000"), "sell-bytes").plans.size() == 2);
}

TEST_CASE("SELL with columns in bytes says what it cannot do") {
  const CsrMatrix wide = family("dense:rows=2,cols=1025");
  CHECK(contains(offerOf(wide, "sell-bytes").why,
                 "the longest row has 1025 entries; the limit of sell-bytes is 1024"));
  CHECK(contains(refusal(wide, bytesPlan(1)), "the longest row has 1025 entries"));
  CHECK(contains(refusal(pairOf(65535), bytesPlan(1, 2)),
                 "the plan has offsets of at most 2 bytes; 65536 columns can need 3"));
  CHECK(contains(refusal(pairOf(9), bytesPlan(16)),
                 "bytes.sigma = 16 is less than the 32 rows of a slice"));
  CHECK(contains(offerOf(pairOf(9), "sell-bytes", {{"bytes.sigma", 16}}).why,
                 "bytes.sigma = 16 is less than the 32 rows of a slice"));
  SparsityProfile broad = profile(pairOf(9).view());
  broad.cols = int64_t{1} << 31;
  CHECK(contains(offerOf(broad, "sell-bytes").why, "the limit is 2^31 - 1"));
}
