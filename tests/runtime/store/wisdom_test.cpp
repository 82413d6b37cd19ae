// Tests of wisdom: its text, refusals, which of several directories decides, and processes that
// store under one key at the same time.
#include "runtime/store/wisdom.h"

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <limits>
#include <sys/wait.h>
#include <unistd.h>

using namespace specmv;

namespace {

// "5163" stands for the id of a signature.
CacheKey wisdomKeyOf(const char *signature = "5163", const char *gpu = "NVIDIA H200 sm_90",
                     const char *problem = "f64 beta") {
  return wisdomKey(signature, gpu, problem);
}
const std::string kId = "0123456789abcdef0123456789abcdef";

Wisdom predicted(const std::string &plan, double us) { return {plan, Chosen::predicted, us}; }
Wisdom measured(const std::string &plan, double us) { return {plan, Chosen::measured, 1, us}; }

std::string planIn(const Cache &cache, const CacheKey &key = wisdomKeyOf()) {
  const auto found = recall(cache, key);
  return found ? found->plan : "";
}

} // namespace

TEST_CASE("wisdom is written as lines, without those that have nothing to say") {
  CHECK(textOf({"ell ell.width=27 block=256", Chosen::measured, 12.5, 13.25, kId}) ==
        "specmv wisdom 1\nplan ell ell.width=27 block=256\nchosen measured\npredictedUs 12.5\n"
        "measuredUs 13.25\nobject 0123456789abcdef0123456789abcdef\n");
  CHECK(textOf({"coo", Chosen::predicted, 0.1, {}, kId, 450.5}) ==
        "specmv wisdom 1\nplan coo\nchosen predicted\npredictedUs 0.1\nsetupUs 450.5\n"
        "object 0123456789abcdef0123456789abcdef\n");
  const std::string tried =
      "specmv wisdom 1\nplan coo\nchosen tried\npredictedUs 0.1\nmeasuredUs 2\n";
  CHECK(textOf({"coo", Chosen::tried, 0.1, 2}) == tried);
  CHECK(parseWisdom(tried)->chosen == Chosen::tried);
  CHECK(parseWisdom(tried)->measuredUs == 2);
  CHECK(parseWisdom(textOf({"coo", Chosen::tried, 0.1}))->chosen == Chosen::tried);
  const Wisdom weighed{"coo", Chosen::predicted, 0.1, {}, "", {}, kId, 130};
  const std::string text = "specmv wisdom 1\nplan coo\nchosen predicted\npredictedUs 0.1\n"
                           "signature 0123456789abcdef0123456789abcdef\nproducts 130\n";
  CHECK(textOf(weighed) == text);
  CHECK(parseWisdom(text)->products == 130);
  for (const char *bad : {"0", "-1", "1e3", "99999999999999999999", "130 ", ""})
    CHECK_FALSE(parseWisdom(text.substr(0, text.size() - 4) + bad + "\n"));
  CHECK(textOf(predicted("coo", 0.1)) ==
        "specmv wisdom 1\nplan coo\nchosen predicted\npredictedUs 0.1\n");
}

TEST_CASE("what was written reads back the same, to the last bit of the times") {
  for (double us : {0.0, 0.1, 1.0 / 3, 12.5, 1e-300, std::numeric_limits<double>::max()}) {
    const Wisdom wisdom{"qcsr qcsr.d=8192 qcsr.fill=0.5", Chosen::predicted, us, us, kId, us, kId};
    const auto read = parseWisdom(textOf(wisdom));
    REQUIRE(read);
    CHECK(read->plan == wisdom.plan);
    CHECK(read->chosen == Chosen::predicted);
    CHECK(read->predictedUs == us);
    CHECK(read->measuredUs == us);
    CHECK(read->object == kId);
    CHECK(read->setupUs == us);
    CHECK(read->signature == kId);
  }
}

TEST_CASE("a plan's list is kept, and one that no plan may have is refused") {
  const std::string plan = "dia dia.rows=1 holes=1 dia.offsets=[-3000,-1,0,1,3000]";
  const auto read = parseWisdom(textOf(predicted(plan, 1)));
  REQUIRE(read);
  CHECK(read->plan == plan);
  CHECK_FALSE(parseWisdom(textOf(predicted("dia dia.offsets=[-1,0,", 1))));
  std::string longList = "dia dia.offsets=[0";
  for (int i = 0; i < 1 << 20; ++i)
    longList += ",1";
  CHECK_FALSE(parseWisdom(textOf(predicted(longList + "]", 1))));
}

TEST_CASE("text that is odd in any way is refused") {
  const std::string good = "specmv wisdom 1\nplan coo block=1\nchosen measured\npredictedUs 3\n"
                           "measuredUs 2\nobject 0123456789abcdef0123456789abcdef\n";
  REQUIRE(parseWisdom(good)); // without setupUs, as earlier versions wrote it
  const std::vector<std::pair<std::string, std::string>> changes{
      {good, ""},
      {good, "specmv wisdom 1\n"},
      {"specmv wisdom 1\n", ""},
      {"wisdom 1", "wisdom 2"},
      {"specmv", "\nspecmv"},
      {"cdef\n", "cdef"},
      {"cdef\n", "cdef\n\n"},
      {"cdef\n", "cdef\r\n"},
      {"cdef\n", "cdef\nfuture 1\n"},
      {"object", "setupUs -1\nobject"},
      {"object", "setupUs many\nobject"},
      {"cdef\n", "cdef\nsetupUs 1\n"},
      {"cdef\n", std::string("cdef\n\0", 6)},
      {"cdef\n", "cdeg\n"},
      {"plan coo block=1\n", ""},
      {"plan coo block=1\n", "plan coo\nplan coo\n"},
      {"coo block=1", ""},
      {"block=1", "block="},
      {"block=1", "block=01"},
      {"chosen measured\n", ""},
      {"chosen measured", "chosen wisdom"},
      {"predictedUs 3\n", ""},
      {"predictedUs 3\nmeasuredUs 2\n", "measuredUs 2\npredictedUs 3\n"},
      {"Us 3", "Us -3"},
      {"Us 3", "Us 3.0"},
      {"Us 3", "Us 3 "},
      {"Us 3", "Us 0x3"},
      {"Us 3", "Us nan"},
      {"Us 3", "Us 1e999"},
      {"measuredUs 2\n", ""}, // chosen by a measurement that is not there
      {"Us 2", "Us -2"},
      {"Us 2", "Us inf"},
      {"object 0", "object "}, // 31 digits
      {"object 0", "object F"},
      {"cdef\n", "cdef\nvalues 1f\n"},
  };
  for (const auto &[what, with] : changes) {
    std::string odd = good;
    REQUIRE(odd.find(what) != std::string::npos);
    odd.replace(odd.find(what), what.size(), with);
    CHECK_MESSAGE(!parseWisdom(odd), odd);
  }
}

TEST_CASE("wisdom is found under its signature, GPU and problem, and nowhere else") {
  const ScratchDirectory scratch;
  Cache cache({}, scratch.path());
  remember(cache, wisdomKeyOf(), predicted("coo", 3));
  CHECK(planIn(cache) == "coo");
  CHECK(planIn(cache, wisdomKeyOf("5164")).empty());
  CHECK(planIn(cache, wisdomKeyOf("5163", "NVIDIA H20")).empty());
  CHECK(planIn(cache, wisdomKeyOf("5163", "NVIDIA H200 sm_90", "f32 beta")).empty());
  CHECK(planIn(cache, wisdomKeyOf("", "", "")).empty());
}

TEST_CASE("wisdom that could not be read again is not stored over what is there") {
  const ScratchDirectory scratch;
  Cache cache({}, scratch.path());
  remember(cache, wisdomKeyOf(), predicted("coo", 3));
  remember(cache, wisdomKeyOf(), {"ell", Chosen::measured, 1});
  remember(cache, wisdomKeyOf(), {"two\nlines", Chosen::predicted, 1});
  remember(cache, wisdomKeyOf(), predicted("ell", std::numeric_limits<double>::quiet_NaN()));
  CHECK(planIn(cache) == "coo");
}

TEST_CASE("a measured choice beats a pack's prediction; else the first directory decides") {
  const ScratchDirectory scratch;
  const std::string first = scratch.path() + "/1", second = scratch.path() + "/2",
                    own = scratch.path() + "/own";
  Cache pack1({}, first), pack2({}, second), cache({first, second}, own);
  remember(pack2, wisdomKeyOf(), predicted("second", 1));
  remember(cache, wisdomKeyOf(), predicted("own", 1));
  CHECK(planIn(cache) == "second");
  remember(pack1, wisdomKeyOf(), predicted("first", 1));
  CHECK(planIn(cache) == "first");
  remember(cache, wisdomKeyOf(), measured("own", 1));
  CHECK(planIn(cache) == "own");
  remember(pack2, wisdomKeyOf(), measured("second", 1));
  CHECK(planIn(cache) == "second");
}

TEST_CASE("a pack's damaged or foreign wisdom does not hide what lies behind it") {
  const ScratchDirectory scratch;
  const std::string packPath = scratch.path() + "/pack", ownPath = scratch.path() + "/own";
  Cache pack({}, packPath), cache({packPath}, ownPath);
  remember(pack, wisdomKeyOf(), measured("pack", 1));
  remember(cache, wisdomKeyOf(), predicted("own", 1));
  CHECK(planIn(cache) == "pack");
  const std::string path = filesBelow(packPath).at(0), intact = readFile(path);
  writeFile(path, intact.substr(0, intact.size() / 2));
  CHECK(planIn(cache) == "own");
  writeFile(path, intact);
  CHECK(planIn(cache) == "pack");
}

TEST_CASE("processes that store under one key at once leave one of their texts") {
  const ScratchDirectory scratch;
  constexpr int kWriters = 8;
  Cache cache({}, scratch.path());
  remember(cache, wisdomKeyOf(), measured("w0", 1));
  std::vector<pid_t> children;
  for (int writer = 1; writer <= kWriters; ++writer) {
    children.push_back(fork());
    if (children.back() != 0)
      continue;
    bool always = true;
    for (int round = 0; round < 10; ++round) {
      remember(cache, wisdomKeyOf(), measured("w" + std::to_string(writer), writer));
      const auto found = recall(cache, wisdomKeyOf());
      always = always && found &&
               (found->plan == "w0" ||
                found->plan == "w" + std::to_string(static_cast<int>(*found->measuredUs)));
    }
    _exit(always && cache.takeWarnings().empty() ? 0 : 1);
  }
  for (pid_t child : children) {
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(planIn(cache).substr(0, 1) == "w");
  CHECK(planIn(cache) != "w0");
  CHECK(filesBelow(scratch.path()).size() == 1);
}
