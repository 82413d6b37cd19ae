// Tests plans whose text is given back (planText): the same plan for the matrix, and what is
// refused.
#include "tests/api/fake_gpu_testing.h"

#include <cstddef>

using namespace apitest;

namespace {

specmvPlanOptions_t optionsWith(const char *text, specmvTarget_t target = SPECMV_TARGET_HOST) {
  specmvPlanOptions_t options = optionsOf(target, nullptr);
  options.planText = text;
  return options;
}

// Tries to make a plan; returns its status.
specmvStatus_t statusOf(const Csr<int32_t, double> &a, const specmvPlanOptions_t &options) {
  const Matrix matrix(a);
  specmvPlan_t plan = nullptr;
  const specmvStatus_t status = specmvCreatePlan(&plan, matrix, &options);
  CHECK((plan != nullptr) == (status == SPECMV_STATUS_SUCCESS));
  specmvDestroyPlan(plan);
  return status;
}

constexpr const char *kLanes =
    "csr-vector csr.lanes=4 block=256 offset=32 column=32"; // fits every matrix

} // namespace

TEST_CASE("a plan gets the text that is given, whatever would be chosen") {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  for (const char *format : {"ell", "coo", "csr5", "csr-merge", "hyb", "sell"}) {
    const Plan first(a, optionsOf(SPECMV_TARGET_HOST, format));
    const std::string text = planTextOf(first);
    specmvPlanOptions_t options = optionsWith(text.c_str());
    options.rigor = SPECMV_RIGOR_TRIAL, options.expectedProducts = 1; // these have no effect
    const Plan second(a, options);
    CHECK(planTextOf(second) == text);
    const char *json = nullptr;
    REQUIRE(specmvGetPlanJson(second, &json) == SPECMV_STATUS_SUCCESS);
    CHECK(std::string(json).find("\"chosenBy\":\"planText\"") != std::string::npos);
  }
}

TEST_CASE("child: given plans on a GPU" * doctest::skip()) {
  const auto &a = fakeGpuMatrix();
  for (const specmvStart_t start : {SPECMV_START_WAIT, SPECMV_START_NOW}) {
    specmvPlanOptions_t options = optionsWith(kLanes, SPECMV_TARGET_GPU);
    options.start = start;
    const Plan plan(a, options);
    REQUIRE(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
    CHECK(planTextOf(plan) == kLanes);
  }
  specmvPlanOptions_t options = optionsWith(kLanes, SPECMV_TARGET_GPU);
  options.maxBytes = 10;
  CHECK(statusOf(a, options) == SPECMV_STATUS_OVER_MAX_BYTES);
  CHECK_MESSAGE(detailHas("more than the limit, 10; raise maxBytes"), detail());
}

TEST_CASE("a given plan is made on a GPU, also beside first products, and within the limit") {
  passesOnFakeGpu("child: given plans on a GPU");
}

TEST_CASE("a text that is no plan is refused with the text, and one that does not fit with why") {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const std::pair<const char *, const char *> bad[] = {
      {"", "it must be written as"},
      {"ell width=3 ", "it has a blank too many; it must be written as"},
      {"ell  width=3", "it has a blank too many; it must be written as"},
      {"ell ell.width=3 block=256 (predicted)",
       "'(predicted)' cannot be read; it must be written as"},
      {"dia dia.offsets=[-1,0,... 4 more ...,5] block=256",
       "one of its lists was shortened for display"},
      {"ell x=1.5 ell.width=3",
       "'x=1.5' is no integer, and integers stand before such numbers; it must be written as"},
      {"ell ell.width=nan block=256", "'ell.width=nan' is no integer"},
      {"chosen     ell ell.width=3", "unknown format 'chosen'"},
      {"elll ell.width=3", "unknown format 'elll'"},
      {"csr-vector", "the plan lacks csr.lanes"},
      {"csr-vector csr.lanes=3 block=256 offset=32 column=32", "csr.lanes = 3 is not a valid"},
      {"csr", "unknown format 'csr'"}}; // what runs on the host is no plan of a GPU
  for (const auto &[text, why] : bad) {
    CHECK(statusOf(a, optionsWith(text)) == SPECMV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE(detailHas("planText '" + std::string(text) + "' is not the text of a plan: "),
                  detail());
    CHECK_MESSAGE(detailHas(why), detail());
  }
  CHECK(statusOf(a, optionsWith("ell ell.width=1 block=256 offset=32 column=32")) ==
        SPECMV_STATUS_NOT_APPLICABLE);
  CHECK_MESSAGE(detailHas("ell.width = 1 is less than the longest row of the matrix"), detail());
  auto none = a;
  none.col[7] = 40;
  CHECK(statusOf(none, optionsWith(kLanes)) == SPECMV_STATUS_INVALID_MATRIX);
  CHECK_MESSAGE(detailHas("column 40 is out of range"), detail());
}

// A former bug: these texts made plans, for which the words at fault had no effect.
TEST_CASE("a text with a word that its format does not have, or has already, is refused") {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const std::string twice = "hyb hyb.k=3 block=256 tail=1 offset=32 column=32 hyb.k=";
  const std::pair<std::string, const char *> bad[] = {
      {twice + "-1", "the plan has hyb.k twice"},
      {twice + "2.5", "the plan has hyb.k twice"},
      {std::string(kLanes) + " foo=1",
       "the plan has the integer foo, but csr-vector has no integer"},
      {std::string(kLanes) + " foo=1.5", "the plan has the real number foo, but csr-vector has no"},
      {std::string(kLanes) + " nan=nan", "the plan has the real number nan, but csr-vector has no"},
      {std::string(kLanes) + " foo=[1,2]", "the plan has the list foo, but csr-vector has no list"},
      {std::string(kLanes) + " order=bfs order=bfs", "it has order twice; it must be written as"},
      {std::string(kLanes) + " values=ones values=codes8", "it has values twice; it must"},
      // A former bug: the message did not say that the order of the two words was at fault.
      {std::string(kLanes) + " order=bfs values=codes8",
       "it must be written as 'ell ell.width=27 block=256 offset=32 column=32', then values=..., "
       "then order=..."},
      {std::string(kLanes) + " values=[1]", "the plan has the list values, but csr-vector has no"}};
  for (const auto &[text, why] : bad) {
    CHECK(statusOf(a, optionsWith(text.c_str())) == SPECMV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE(detailHas("planText '" + text + "' is not the text of a plan: " + why), detail());
  }
}

// A former bug: the message had the whole word twice.
TEST_CASE("a message shows the beginning of a long text") {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const std::string text = "ell " + std::string(5000, 'y');
  CHECK(statusOf(a, optionsWith(text.c_str())) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("yyy...' cannot be read"));
  CHECK(std::string(detail()).size() < 600);
}

// A former bug: messages advised values=plain, which was refused.
TEST_CASE("a text may say that values are stored as they are, and names another coding rightly") {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  const std::string lanes = kLanes;
  CHECK(planTextOf(Plan(a, optionsWith((lanes + " values=plain").c_str()))) == lanes);
  CHECK(statusOf(a, optionsWith((lanes + " values=ones values=plain").c_str())) ==
        SPECMV_STATUS_INVALID_VALUE);
  CHECK(statusOf(a, optionsWith((lanes + " values=twos").c_str())) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("values='twos' is no coding of values; the codings are plain, diagonals, ones"));
}

// A former bug: planText won silently.
TEST_CASE("a given plan is refused beside formats, which it contradicts") {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  specmvPlanOptions_t options = optionsWith(kLanes);
  options.formats = "jad";
  CHECK(statusOf(a, options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("planText gives a format with all of its numbers, which formats = 'jad' "
                  "contradicts; set one of them to NULL"));
  specmvPlanEstimate_t estimate = SPECMV_PLAN_ESTIMATE_INIT;
  CHECK(specmvEstimatePlan(&estimate, Matrix(a), &options) == SPECMV_STATUS_INVALID_VALUE);
}

// A former bug: planText won silently.
TEST_CASE("a given plan with a coding of values is refused beside plainValues") {
  Csr<int32_t, double> a = randomCsr<int32_t, double>(50, 40, 5);
  a.val.assign(a.val.size(), 2);
  const std::string coded = std::string(kLanes) + " values=ones";
  specmvPlanOptions_t options = optionsWith(coded.c_str());
  CHECK(statusOf(a, options) == SPECMV_STATUS_SUCCESS);
  options.plainValues = 1;
  CHECK(statusOf(a, options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detailHas("plainValues = 1 asks for values as they are, which values=ones of "
                          "planText contradicts; leave out one of them"),
                detail());
  options.planText = kLanes;
  CHECK(statusOf(a, options) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("a caller built against a version without planText gives none") {
  const auto a = randomCsr<int32_t, double>(50, 40, 5);
  specmvPlanOptions_t options = optionsWith("nonsense");
  options.structSize = offsetof(specmvPlanOptions_t, planText); // what is behind is not read
  CHECK(offsetof(specmvPlanOptions_t, planText) ==
        offsetof(specmvPlanOptions_t, kernels) + sizeof options.kernels);
  CHECK(statusOf(a, options) == SPECMV_STATUS_SUCCESS);
}
