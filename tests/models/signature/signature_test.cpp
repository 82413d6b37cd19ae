// Tests the signature: an exact round trip, detection of damage, and ids that change when they
// must.
#include "models/signature/signature.h"

#include "models/base/error.h"
#include "tests/models/profile/profile_cases.h"
#include <doctest/doctest.h>

#include <set>

using namespace specmv;

namespace {

// Returns the message of the refusal; empty if the text is accepted or the status is different.
std::string sentenceFor(llvm::StringRef text) {
  llvm::Expected<SparsityProfile> p = parseProfile(text, "a.sig");
  if (p)
    return "";
  const auto [status, sentence] = describe(p.takeError());
  return status == Status::badInput ? sentence : "";
}

bool refused(llvm::StringRef text) {
  return llvm::StringRef(sentenceFor(text)).starts_with("a.sig:");
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

// [ x . x ]
// [ . x . ]
ProfileCase smallCase() { return {"small", 2, 3, {{0, 2}, {1}}}; }

} // namespace

TEST_CASE("the text is a line for each field, of integers") {
  const std::string text = serializeProfile(profileOf(smallCase()));
  llvm::StringRef rest(text);
  CHECK(rest.consume_front("specmv-signature 4\nrows 2\ncols 3\nnnz 3\nfingerprint "));
  rest = rest.split('\n').second;
  CHECK(rest.consume_front("lengths 1 1 2 1\ndistSum 2\nbandwidth 2\noccupiedDiagonals 2\n"
                           "diagonals 0 2 2 1\nblockFill 2 3 3 3 2"));
  rest = rest.split('\n').second;
  CHECK(rest.consume_front("slices 2 1 4 4 1 8 8 1 16"));
  rest = rest.split('\n').second;
  CHECK(rest.consume_front("lines 1 2 1 0 0 0 1024 2 1 0 0 0\n"));
  CHECK(rest.consume_front("spans 32 3 3 64 3 3 "));
  rest = rest.split('\n').second;
  CHECK(rest.consume_front("reuse 1 3 3 3 2 2 2 "));
  CHECK(rest.consume_front("2 2 2 2 2 2 2 2 2 2 2 2 32 3 3 3 1 1 "));
  rest = rest.split('\n').second;
  // A tile of 2 x 16 places has 3 entries, more than a sixteenth; in a tile of 2 x 32 the share is
  // smaller.
  CHECK(rest.consume_front("tiles 16 3 0 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 32 3 3 "));
  rest = rest.split('\n').second;
  CHECK(rest.consume_front("sampled 0\nchecksum "));
}

TEST_CASE("numbers that no matrix in memory can have are refused, since plans multiply them") {
  const std::string text = serializeProfile(profileOf(smallCase()));
  const auto why = [&](const char *from, const char *to) {
    return sentenceFor(replaced(text, from, to));
  };
  const std::string end = "no matrix can have these numbers of ";
  CHECK(why("rows 2", "rows 35184372088833") == "a.sig:2: " + end + "'rows'");
  CHECK(why("cols 3\nnnz 3", "cols 3\nnnz 9223372036854775807") == "a.sig:4: " + end + "'nnz'");
  CHECK(why("slices 2 1 4", "slices 2 1 8") == "a.sig:12: " + end + "'slices'");
}

TEST_CASE("reading a signature gives the profile that was written") {
  std::vector<ProfileCase> cases = profileCases();
  cases.push_back(randomCase(3000, 100, 90000, 6)); // sampled
  for (const ProfileCase &c : cases) {
    CAPTURE(c.name);
    const SparsityProfile p = profileOf(c);
    llvm::Expected<SparsityProfile> read = parseProfile(serializeProfile(p), "a.sig");
    REQUIRE(static_cast<bool>(read));
    CHECK(*read == p);
  }
}

TEST_CASE("a signature with any byte changed is refused") {
  const std::string text = serializeProfile(profileOf(smallCase()));
  for (size_t i = 0; i < text.size(); ++i)
    for (char c : {'0', '7', '-', ' ', '\n', '\0', '\xff'}) {
      std::string damaged = text;
      damaged[i] = c;
      if (damaged != text)
        CHECK(refused(damaged));
    }
}

TEST_CASE("a signature that is cut, doubled or extended is refused") {
  const std::string text = serializeProfile(profileOf(smallCase()));
  for (size_t length = 0; length < text.size(); ++length)
    CHECK(refused(text.substr(0, length)));
  for (const std::string &more : {std::string(" "), std::string("\n"), std::string("x"), text})
    CHECK(refused(text + more));
  for (size_t i = 0; i < text.size(); ++i)
    CHECK(refused(text.substr(0, i) + text.substr(i + 1)));
}

TEST_CASE("a refusal names the line at fault") {
  const std::string text = serializeProfile(profileOf(smallCase()));
  CHECK(sentenceFor("specmv-signature 1\n") ==
        "a.sig:1: not a signature of version 4: its first line must be 'specmv-signature 4'");
  CHECK(sentenceFor(replaced(text, "\ncols 3", "\ncols x")) ==
        "a.sig:3: this line must be 'cols' and its numbers");
  CHECK(sentenceFor(replaced(text, "\ncols 3", "\ncols")) ==
        "a.sig:3: this line must be 'cols' and its numbers");
  CHECK(sentenceFor(replaced(text, "lengths 1 1 2 1", "lengths 1 1 2")) ==
        "a.sig:6: this line must be 'lengths' and its numbers");
  CHECK(sentenceFor(replaced(text, "lengths 1 1 2 1", "lengths 2 1 1 1")) ==
        "a.sig:6: no matrix can have these numbers of 'lengths'");
  CHECK(sentenceFor(replaced(text, "\nbandwidth 2", "\nbandwidth 02")) ==
        "a.sig:8: this line is not what specmv writes for this profile; the file was changed");
  CHECK(sentenceFor(replaced(text, "\nbandwidth 2",
                             "\nbandwidth 3")) ==
        "a.sig:18: this line is not what specmv writes for this "
        "profile; the file was changed"); // the checksum
}

TEST_CASE("numbers that no profile has are refused, also with the right checksum") {
  const SparsityProfile good = profileOf(smallCase());
  const auto refusedWith = [&](auto change) {
    SparsityProfile p = good;
    change(p);
    return refused(serializeProfile(p));
  };
  CHECK_FALSE(refusedWith([](SparsityProfile &) {}));
  constexpr Count kHuge = std::numeric_limits<Count>::max();
  CHECK(refusedWith([](auto &p) { p.rows = -2; }));
  CHECK(refusedWith([](auto &p) { p.rows = 3; }));
  CHECK(refusedWith([](auto &p) { p.cols = -1; }));
  CHECK(refusedWith([](auto &p) { p.nnz = 4; }));
  CHECK(refusedWith([](auto &p) { p.lengths[0].rows = 0; }));
  CHECK(refusedWith([](auto &p) { p.lengths = {{kHuge, 1}, {kHuge, 1}}; }));
  CHECK(refusedWith([](auto &p) { p.lengths = {{1, 1}, {kHuge, kHuge}}; }));
  CHECK(refusedWith([](auto &p) { p.distSum = -1; }));
  CHECK(refusedWith([](auto &p) { p.occupiedDiagonals = 3; }));
  CHECK(refusedWith([](auto &p) { std::swap(p.diagonals[0], p.diagonals[1]); }));
  CHECK(refusedWith([](auto &p) { p.diagonals[0].entries = 0; }));
  CHECK(refusedWith([](auto &p) { p.blockFill.blocks[3][3] = -1; }));
  CHECK(refusedWith([](auto &p) { p.blockFill.blocks[3][3] = 4; }));
  CHECK(refusedWith([](auto &p) { p.blockFill.sampledRows = 3; }));
  CHECK(refusedWith([](auto &p) { p.blockFill.sampledEntries = p.reuse[0].sampledEntries = 4; }));
  CHECK(refusedWith([](auto &p) { p.slices.pop_back(); }));
  CHECK(refusedWith([](auto &p) { p.slices[0].slice = 0; }));
  CHECK(refusedWith([](auto &p) { p.lines.pop_back(); }));
  CHECK(refusedWith([](auto &p) { p.lines[0].window = 2; }));
  CHECK(refusedWith([](auto &p) { p.lines[1].lines = 4; }));
  CHECK(refusedWith([](auto &p) { p.lines[1].fours = {3}; }));
  CHECK(refusedWith([](auto &p) { p.lines[1].fours = {2, -1}; }));
  CHECK(refusedWith([](auto &p) { p.lines[1].fours = {}; }));
  CHECK(refusedWith([](auto &p) { p.lines[1].fours = {kHuge, kHuge}; }));
  CHECK(refusedWith([](auto &p) { p.lines[1] = {1024, kHuge, {kHuge}}; }));
  CHECK(refusedWith([](auto &p) { p.spans[0].blockRows = 31; }));
  CHECK(refusedWith([](auto &p) { p.spans[0].total = -1; }));
  CHECK(refusedWith([](auto &p) { p.tiles.clear(); }));
  CHECK(refusedWith([](auto &p) { p.tiles[1].d = 16; }));
  CHECK(refusedWith([](auto &p) { p.tiles[2].bins = {4, -1}; }));
  CHECK(refusedWith([](auto &p) { p.tiles[2].bins[1] = 1; }));
  CHECK(refusedWith([](auto &p) { p.reuse.pop_back(); }));
  CHECK(refusedWith([](auto &p) { p.reuse[1].groupRows = 31; }));
  CHECK(refusedWith([](auto &p) { p.reuse[1].sampledEntries = 2; }));
  CHECK(refusedWith([](auto &p) { p.reuse[0].first[5] = 3; }));
  CHECK(refusedWith([](auto &p) { p.reuse[0].first[16] = -4; }));
}

TEST_CASE("the id changes when one entry moves and only then") {
  ProfileCase c = randomCase(400, 500, 3000, 8);
  const std::string id = signatureId(profileOf(c));
  CHECK(id.size() == 32);
  CHECK(signatureId(profile(CsrArrays<int32_t>(c, 5).view())) == id);
  std::set<std::string> ids{id};
  for (size_t row = 0; row < 400; row += 10) {
    if (c.columns[row].empty())
      continue;
    int64_t &column = c.columns[row][0];
    const int64_t before = column;
    column = before == 499 ? before - 1 : before + 1;
    ids.insert(signatureId(profileOf(c)));
    CHECK(signatureId(profileOf(c)) != id);
    column = before;
  }
  CHECK(ids.size() > 30); // nor are the ids of the moved ones equal
  CHECK(signatureId(profileOf(c)) == id);
}

TEST_CASE("patterns that agree in every count still have ids of their own") {
  // The two differ only within one block each, so only the fingerprint tells them apart.
  ProfileCase a = emptyCase("a", 64, 64), b = a;
  a.columns[0] = {1}, a.columns[1] = {0}, a.columns[8] = {8}, a.columns[9] = {9};
  b.columns[0] = {0}, b.columns[1] = {1}, b.columns[8] = {9}, b.columns[9] = {8};
  SparsityProfile first = profileOf(a), second = profileOf(b);
  CHECK(signatureId(first) != signatureId(second));
  CHECK(patternId({64, 64, 4}, first.fingerprint) != patternId({64, 64, 4}, second.fingerprint));
  CHECK(patternId({64, 64, 4}, first.fingerprint) != patternId({64, 65, 4}, first.fingerprint));
  CHECK(first.fingerprint != second.fingerprint);
  second.fingerprint = first.fingerprint;
  CHECK(first == second);
}

TEST_CASE("the id of a fixed matrix stays: a change of the text makes all caches worthless") {
  ProfileCase c = emptyCase("fixed", 600, 500);
  for (int64_t i = 0; i < 600; ++i)
    for (int64_t j = 0; j < i % 7; ++j)
      c.columns[static_cast<size_t>(i)].push_back((i * 31 + j * j * 17) % 500);
  CHECK(signatureId(profileOf(c)) == "1fb80fbd20c8de2c612b04d84d3bf4f4");
}
