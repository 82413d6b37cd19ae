// Tests the C API in applications that round in another direction, flush denormal numbers, trap
// exceptions or compute with less precision: texts, choices and products are the same, and the
// application finds its state as it left it.
#include "tests/api/api_testing.h"

#include <cfenv>
#include <cmath>
#include <xmmintrin.h>

using namespace apitest;

namespace {

constexpr unsigned kFlushes = 0x8040; // FTZ and DAZ
constexpr unsigned kFlags = 0x3f;

uint16_t x87Control() {
  uint16_t word;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  return word;
}
void setX87Control(uint16_t word) { __asm__ volatile("fldcw %0" : : "m"(word)); }

// Changes the state of this thread until the end of the scope.
class State {
public:
  explicit State(const std::function<void()> &change) {
    std::fegetenv(&before_);
    change();
    sse_ = _mm_getcsr(), x87_ = x87Control();
  }
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State() { std::fesetenv(&before_); }
  bool isUnchanged() const {
    return (_mm_getcsr() & ~kFlags) == (sse_ & ~kFlags) && x87Control() == x87_;
  }

private:
  std::fenv_t before_;
  unsigned sse_;
  uint16_t x87_;
};

struct Change {
  const char *name;
  std::function<void()> make;
};
const std::vector<Change> &changes() {
  static const auto &all = *new std::vector<Change>{
      {"upward", [] { std::fesetround(FE_UPWARD); }},
      {"downward", [] { std::fesetround(FE_DOWNWARD); }},
      {"toward zero", [] { std::fesetround(FE_TOWARDZERO); }},
      {"flushing", [] { _mm_setcsr(_mm_getcsr() | kFlushes); }},
      {"trapping", [] { feenableexcept(FE_ALL_EXCEPT); }},
      {"x87 in single", [] { setX87Control(static_cast<uint16_t>(x87Control() & ~0x300)); }}};
  return all;
}

// Two columns of 1/3, and denormal values.
const Csr<int32_t, double> &matrix() {
  static const auto &a = *new Csr<int32_t, double>([] {
    auto made = randomCsr<int32_t, double>(300, 300, 5);
    for (size_t e = 0; e < made.val.size(); ++e)
      made.val[e] = e % 3 == 0 ? 5e-310 : made.val[e] / 3;
    return made;
  }());
  return a;
}

struct SeenPlan {
  std::string text, why;
  std::vector<double> y, several;
  bool operator==(const SeenPlan &) const = default;
};

constexpr const char *kMerge = "csr-merge merge.items=7 merge.threads=32 offset=32 column=32";
// A text with a real number that is no double.
constexpr const char *kReal =
    "qcsr qcsr.d=256 qcsr.slices=0 qcsr.stage=0 qcsr.zerocopy=0 qcsr.lanes=16 qcsr.align=1 "
    "qcsr.rows=32 block=256 full=0 offset=32 column=32 qcsr.fill=0.813";

// Returns all that a program sees of a plan, which is chosen if there is no text. With formats, no
// choice is recalled.
SeenPlan outcome(const char *planText) {
  specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
  settings.cacheDirectory = settings.packs = "";
  const Context context(settings);
  specmvPlanOptions_t options = hostOptions();
  options.context = context;
  options.planText = planText;
  options.formats = planText ? nullptr : "ell,sell,csr-vector,csr-merge,qcsr,coo,bcsr,dia";
  options.vectors = planText ? 2 : 0;
  const Plan plan(matrix(), options);
  SeenPlan out;
  out.text = planTextOf(plan);
  const std::string json = jsonOf(plan), key = "\"candidates\":";
  if (!planText)
    out.why = json.substr(json.find(key), json.find("\"chosen") - json.find(key));
  std::vector<double> x(300), two(600);
  for (size_t j = 0; j < x.size(); ++j)
    x[j] = two[2 * j] = two[2 * j + 1] = static_cast<double>(j + 1);
  out.y.assign(300, 5e-310), out.several.assign(600, 0);
  const double alpha = 1, beta = 1;
  CHECK(specmvExecute(plan, &alpha, x.data(), &beta, out.y.data(), nullptr) ==
        SPECMV_STATUS_SUCCESS);
  if (planText)
    CHECK(specmvExecuteMulti(plan, 2, &alpha, two.data(), 2, &beta, out.several.data(), 2,
                             SPECMV_ORDER_ROW, nullptr) == SPECMV_STATUS_SUCCESS);
  return out;
}

} // namespace

// A former bug: while rounding upward, a plan's own text was refused (0.8130000000000001).
TEST_CASE("plans, texts and products do not depend on the floating-point state of the caller") {
  const SeenPlan expected = outcome(nullptr), ofMerge = outcome(kMerge);
  CHECK(expected.why.find("predictedUs") != std::string::npos);
  for (const Change &change : changes()) {
    INFO(std::string(change.name));
    SeenPlan found, again;
    bool isUnchanged;
    {
      const State state(change.make);
      found = outcome(nullptr);
      again = outcome(kMerge);
      isUnchanged = state.isUnchanged();
    }
    CHECK(found == expected);
    CHECK(again == ofMerge);
    CHECK(isUnchanged);
  }
}

TEST_CASE("a plan's own text is taken back in every rounding direction") {
  const std::string text = kReal;
  specmvPlanOptions_t options = hostOptions();
  options.planText = text.c_str();
  const Matrix a(matrix());
  for (const Change &change : changes()) {
    specmvPlan_t plan = nullptr;
    specmvStatus_t status;
    {
      const State state(change.make);
      status = specmvCreatePlan(&plan, a, &options);
    }
    CHECK_MESSAGE(status == SPECMV_STATUS_SUCCESS, change.name, ": ", detail());
    if (plan)
      CHECK(planTextOf(plan) == text);
    specmvDestroyPlan(plan);
  }
}

TEST_CASE("calls raise no floating-point exception, and clear none") {
  const Csr<int32_t, double> a{1, 1, {0, 1}, {0}, {1e308}};
  const Plan plan(a);
  const double alpha = 1e300, beta = 0.1;
  double x = 1e308, y = 0.3;
  std::fenv_t before;
  std::fegetenv(&before);
  for (const int raised : {0, FE_DIVBYZERO, FE_INVALID | FE_INEXACT}) {
    std::feclearexcept(FE_ALL_EXCEPT);
    std::feraiseexcept(raised);
    const int flags = std::fetestexcept(FE_ALL_EXCEPT);
    const specmvStatus_t status = specmvExecute(plan, &alpha, &x, &beta, &y, nullptr);
    const int after = std::fetestexcept(FE_ALL_EXCEPT);
    CHECK(status == SPECMV_STATUS_SUCCESS);
    CHECK(after == flags);
  }
  std::fesetenv(&before);
  CHECK(std::isinf(y));
}

TEST_CASE("the application's functions run in its own floating-point state") {
  static int rounding = -1;
  specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
  settings.log = [](void *, specmvLogLevel_t, const char *) {
    rounding = std::fegetround();
    std::fesetround(FE_DOWNWARD); // which stays, as from any function of the application
  };
  settings.logLevel = SPECMV_LOG_DEBUG;
  const Context context(settings);
  specmvPlanOptions_t options = hostOptions();
  options.context = context;
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetround(FE_UPWARD);
  std::string text;
  {
    const Plan plan(matrix(), options);
    text = planTextOf(plan);
  }
  const int after = std::fegetround();
  std::fesetenv(&before);
  CHECK(rounding == FE_DOWNWARD); // of the second message; the first had FE_UPWARD
  CHECK(after == FE_DOWNWARD);
  CHECK(planTextOf(Plan(matrix())) == text);
}
