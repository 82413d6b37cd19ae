// Tests that a plan may ask for exactly those formats by name that the library lists.
#include "tests/api/api_testing.h"

#include <regex>
#include <set>

using namespace apitest;

namespace {

// Returns the names of all formats, as the refusal of an unknown one lists them: "... a, b, c".
std::vector<std::string> namesOfFormats() {
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlanOptions_t options = hostOptions();
  options.formats = "nonsense";
  specmvPlan_t plan = nullptr;
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_INVALID_VALUE);
  std::vector<std::string> names;
  const std::string list = detail();
  const std::regex name("([a-z0-9-]+)(, |$)");
  for (std::sregex_iterator found(list.begin(), list.end(), name), end; found != end; ++found)
    names.push_back((*found)[1]);
  return names;
}

// Dense blocks of 3 x 3 on the diagonal.
Csr<int32_t, double> blockDiagonal() {
  Csr<int32_t, double> a{300, 300, {0}, {}, {}};
  for (int32_t i = 0; i < 300; ++i) {
    for (int32_t j = i / 3 * 3; j < i / 3 * 3 + 3; ++j)
      a.col.push_back(j);
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  a.val.assign(a.col.size(), 1);
  return a;
}

// Rows of 40 entries, each at the begin and at the end of 5,000 columns.
Csr<int32_t, double> longRows() {
  Csr<int32_t, double> a{30, 5000, {0}, {}, {}};
  for (int32_t i = 0; i < 30; ++i) {
    for (int32_t k = 0; k < 40; ++k)
      a.col.push_back(k < 20 ? k : 4960 + k);
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  a.val.assign(a.col.size(), 1);
  return a;
}

// Returns the status of a plan with this format. If there is a plan, its text must begin with the
// format's name; if there is none, the detail must name the format.
specmvStatus_t planBy(const std::string &format, const Csr<int32_t, double> &a) {
  const Matrix m(a);
  specmvPlanOptions_t options = hostOptions();
  options.formats = format.c_str();
  specmvPlan_t plan = nullptr;
  const char *text = nullptr;
  const specmvStatus_t status = specmvCreatePlan(&plan, m, &options);
  if (status == SPECMV_STATUS_SUCCESS) {
    CHECK(specmvGetPlanText(plan, &text) == SPECMV_STATUS_SUCCESS);
    CHECK(std::string(text).rfind(format + " ", 0) == 0);
    specmvDestroyPlan(plan);
  } else {
    CHECK(detailHas(format));
  }
  return status;
}

} // namespace

TEST_CASE("only formats that there are may be asked for, and only they are chosen") {
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlanOptions_t options = hostOptions();
  for (const char *formats : {"nonsense", "ell,nonsense", "nonsense,ell"}) {
    specmvPlan_t plan = nullptr;
    options.formats = formats;
    CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("nonsense"));
    CHECK(plan == nullptr);
  }
  for (const char *empty : {"", ",", "ell,,hyb", "ell,"}) { // as --format of the tool
    CAPTURE(std::string(empty));
    specmvPlan_t plan = nullptr;
    options.formats = empty;
    CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_INVALID_VALUE);
    specmvDestroyPlan(plan);
  }
  for (const char *format : {"csr-scalar", "csr-vector", "ell", "sell", "hyb", "jad", "qcsr"}) {
    CAPTURE(std::string(format));
    CHECK(planBy(format, a) == SPECMV_STATUS_SUCCESS);
  }
}

TEST_CASE("each format of the list is chosen where it alone is asked for, or says what it lacks") {
  const std::vector<std::string> formats = namesOfFormats();
  CHECK(formats.size() >= 20); // the list was found
  for (const std::string &format : formats) {
    CAPTURE(format);
    std::set<specmvStatus_t> seen;
    for (const Csr<int32_t, double> &a : {smallCsr(), blockDiagonal(), longRows()})
      seen.insert(planBy(format, a));
    seen.erase(SPECMV_STATUS_NOT_APPLICABLE); // some of the matrices need not suit it
    const bool isCusparse = format.rfind("cusparse-", 0) == 0; // which needs a GPU
    CHECK((seen == std::set{isCusparse ? SPECMV_STATUS_NO_GPU : SPECMV_STATUS_SUCCESS}));
  }
}

// A bug once: the second name was looked for with its blank.
TEST_CASE("names of formats may stand between blanks") {
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlanOptions_t options = hostOptions();
  options.formats = " ell , csr-vector";
  specmvPlan_t plan = nullptr;
  REQUIRE(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_SUCCESS);
  specmvDestroyPlan(plan);
  options.formats = "ell, ";
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_INVALID_VALUE);
}
