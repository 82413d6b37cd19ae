// Tests of SPEC: how the text is split, which value a key gets, and refusals.
#include "models/lab/families/families.h"

#include "models/base/error.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

using namespace specmv;

namespace {

constexpr SpecKey kKeys[] = {
    integerKey("n", "10", 1, 100, "size"),
    integerKey("rows", "n", 1, 100, "rows"),
    integerKey("cols", "n|rows", 1, 100, "columns"),
    integerKey("seed", "0", 0, std::numeric_limits<int64_t>::max(), "seed"),
    realKey("spread", "0.5", 0, 1, "spread"),
    choiceKey("coef", "constant", "constant|random", "coefficients"),
};

SpecOptions read(llvm::StringRef text) {
  return llvm::cantFail(readOptions(llvm::cantFail(parseSpec(text)), kKeys));
}

// Returns the status and message with which the parser or the keys refuse a text.
std::pair<Status, std::string> refusedSpec(llvm::StringRef text) {
  llvm::Expected<Spec> spec = parseSpec(text);
  if (!spec)
    return describe(spec.takeError());
  llvm::Expected<SpecOptions> options = readOptions(*spec, kKeys);
  if (!options)
    return describe(options.takeError());
  return {Status::internal, "accepted"};
}

} // namespace

TEST_CASE("a spec splits into its name and its options in their order") {
  const Spec spec = llvm::cantFail(parseSpec("band:k=17,half=10000,rows=2000000"));
  CHECK(spec.name == "band");
  REQUIRE(spec.options.size() == 3);
  CHECK(spec.options[0] == std::pair<std::string, std::string>("k", "17"));
  CHECK(spec.options[1] == std::pair<std::string, std::string>("half", "10000"));
  CHECK(spec.options[2] == std::pair<std::string, std::string>("rows", "2000000"));
}

TEST_CASE("a spec may be a name alone, and a value may hold an equals sign or a colon") {
  CHECK(llvm::cantFail(parseSpec("empty")).options.empty());
  const Spec spec = llvm::cantFail(parseSpec("a:b=c=d:e"));
  REQUIRE(spec.options.size() == 1);
  CHECK(spec.options[0].second == "c=d:e");
}

TEST_CASE("a malformed spec is a bad call that shows the option at fault") {
  for (const auto &[given, part] : std::vector<std::pair<std::string, std::string>>{
           {"", "has no name"},
           {":k=1", "has no name"},
           {"a:", "option 1 is \"\""},
           {"a:n", "option 1 is \"n\""},
           {"a:n=", "option 1 is \"n=\""},
           {"a:=3", "option 1 is \"=3\""},
           {"a:n=1,", "option 2 is \"\""},
           {"a:n=1,,rows=2", "option 2 is \"\""},
           {"a:n=1,rows=2,n=1", "option 3 repeats the key \"n\""}}) {
    const std::string text = given;
    CAPTURE(text);
    const auto [status, sentence] = refusedSpec(text);
    CHECK(status == Status::badCall);
    CHECK(sentence.find(part) != std::string::npos);
  }
}

TEST_CASE("a key has its value, else its fallback: n sets rows and cols unless given") {
  struct {
    const char *text;
    int64_t rows, cols;
  } const cases[] = {{"a", 10, 10},
                     {"a:n=3", 3, 3},
                     {"a:rows=4", 4, 4},
                     {"a:cols=5", 10, 5},
                     {"a:n=3,rows=4", 4, 3},
                     {"a:n=3,cols=5", 3, 5},
                     {"a:rows=4,cols=5", 4, 5},
                     {"a:n=3,rows=4,cols=5", 4, 5}};
  for (const auto &c : cases) {
    CAPTURE(std::string(c.text));
    CHECK(read(c.text).integer("rows") == c.rows);
    CHECK(read(c.text).integer("cols") == c.cols);
  }
  CHECK(read("a:n=3").given("n"));
  CHECK_FALSE(read("a:n=3").given("rows"));
}

TEST_CASE("reals, choices and 63-bit seeds are read") {
  CHECK(read("a").real("spread") == 0.5);
  CHECK(read("a:spread=1").real("spread") == 1);
  CHECK(read("a:spread=2.5e-1").real("spread") == 0.25);
  CHECK(read("a").text("coef") == "constant");
  CHECK(read("a:coef=random").text("coef") == "random");
  CHECK(read("a:seed=9223372036854775807").integer("seed") == 9223372036854775807);
}

TEST_CASE("an unknown key is refused with the list of keys") {
  const auto [status, sentence] = refusedSpec("a:n=3,m=4");
  CHECK(status == Status::badCall);
  CHECK(sentence == "a: unknown key in m=4; the keys are n, rows, cols, seed, spread, coef");
}

TEST_CASE("a value that is malformed or out of range is refused by name and number") {
  for (const char *value : {"0", "101", "-3", "3.0", "3e1", "0x3", " 3", "3 ", "three", "+",
                            "9223372036854775808", "99999999999999999999999"}) {
    CAPTURE(value);
    const auto [status, sentence] = refusedSpec(std::string("a:n=") + value);
    CHECK(status == Status::badCall);
    CHECK(sentence == std::string("a: n=") + value + " is not an integer from 1 to 100");
  }
  for (const char *value : {"-0.1", "1.5", "nan", "inf", "half", "1e999999999", "0.5x"}) {
    CAPTURE(value);
    const auto [status, sentence] = refusedSpec(std::string("a:spread=") + value);
    CHECK(status == Status::badCall);
    CHECK(sentence == std::string("a: spread=") + value + " is not a number from 0 to 1");
  }
  const auto [status, sentence] = refusedSpec("a:coef=Random");
  CHECK(status == Status::badCall);
  CHECK(sentence == "a: coef=Random is not one of constant|random (did you mean 'random'?)");
}

TEST_CASE(
    "shuffled: the rows and columns of a SPEC are numbered at random, alike if it is square") {
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=20")),
                  b = llvm::cantFail(generateFamily("shuffled:stencil5:n=20"));
  CHECK(b.name == "shuffled:stencil5:n=20");
  REQUIRE(b.nnz() == a.nnz());
  const auto lengthsOf = [](const CsrMatrix &of) {
    std::vector<int32_t> out;
    for (size_t row = 0; row < static_cast<size_t>(of.rows); ++row)
      out.push_back(of.rowPtr[row + 1] - of.rowPtr[row]);
    return out;
  };
  std::vector<int32_t> before = lengthsOf(a), after = lengthsOf(b);
  CHECK(before != after);
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  CHECK(before == after);
  // The diagonal stays, with its values.
  for (int32_t row = 0; row < b.rows; ++row) {
    const auto begin = b.col.begin() + b.rowPtr[static_cast<size_t>(row)],
               end = b.col.begin() + b.rowPtr[static_cast<size_t>(row) + 1];
    CHECK(std::is_sorted(begin, end));
    const auto at = std::find(begin, end, row);
    REQUIRE(at != end);
    CHECK(b.val[static_cast<size_t>(at - b.col.begin())] == 4);
  }
  CHECK(llvm::cantFail(generateFamily("shuffled:dense:rows=3,cols=5")).nnz() == 15);
  auto wrong = generateFamily("shuffled:stencli5:n=4");
  REQUIRE_FALSE(static_cast<bool>(wrong));
  CHECK(llvm::toString(wrong.takeError()).find("stencil5") != std::string::npos);
}
