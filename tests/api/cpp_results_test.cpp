// Tests of specmv.hpp: the conversions of a result, and the functions that contexts own.
#include "tests/api/cpp_testing.h"

#include <atomic>
#include <memory>
#include <thread>
#include <type_traits>

using namespace cpptest;

// `if (plan->ready())` once compiled, and tested only whether the call succeeded.
static_assert(!std::is_constructible_v<bool, specmv::Result<bool>>);
static_assert(std::is_constructible_v<bool, specmv::Result<int>>);
static_assert(std::is_constructible_v<bool, specmv::Result<void>>);

TEST_CASE("C++: an error of the library is a result, or an exception if it is asked for") {
  const auto none = specmv::Matrix<float>::csr<int64_t>(-1, 3, 0, nullptr, nullptr, nullptr);
  REQUIRE_FALSE(none);
  CHECK(none.error().status == SPECMV_STATUS_INVALID_VALUE);
  CHECK(none.error().detail.find("rows = -1") != std::string::npos);
  CHECK_THROWS_AS(
      (void)specmv::Matrix<float>::csr<int64_t>(-1, 3, 0, nullptr, nullptr, nullptr).value(),
      std::runtime_error);
  const specmv::Matrix<double> a = Small().matrix().value();
  CHECK(a.rows() == 3);
  const auto named = Small().matrix();
  CHECK(named.value().rows() == 3);
  CHECK(&named.value() == &*named);
  specmv::Result<int> number = 1;
  number.value() = 2;
  CHECK(*number == 2);
  CHECK_THROWS_AS((void)none.value(), std::runtime_error);
  try {
    (void)none.value();
  } catch (const specmv::Exception &thrown) {
    CHECK(thrown.status() == SPECMV_STATUS_INVALID_VALUE);
    CHECK(thrown.what() == none.error().detail);
  }
}

TEST_CASE("C++: a context tells a function of the caller, also after it was moved") {
  std::vector<std::string> heard;
  auto context = specmv::Context::create(
      {.log = [&](specmvLogLevel_t, std::string_view text) { heard.emplace_back(text); },
       .logLevel = SPECMV_LOG_INFO});
  REQUIRE(context);
  const specmv::Context moved = std::move(*context);
  specmv::PlanOptions options = onHost();
  options.context = moved.get();
  const Small small;
  const auto a = small.matrix();
  REQUIRE(specmv::Plan<double>::create(*a, options));
  CHECK_FALSE(heard.empty());
  CHECK_FALSE(specmv::Context::create({.threads = -1}));
  CHECK_FALSE(specmv::Context::create({.allocate = [](void *, size_t, void *) -> void * {
    return nullptr;
  }})); // without its counterpart
}

// A former bug: the function was freed first, while a set-up beside products was calling it.
TEST_CASE("C++: a context that is assigned another one ends calls of its function, then frees it") {
  std::atomic<bool> isInside = false, wasCalled = false, wasFreedInside = false;
  std::shared_ptr<int> owned(new int, [&](const int *it) {
    wasFreedInside = isInside.load();
    delete it;
  });
  auto context =
      specmv::Context::create({.log =
                                   [&, owned = std::move(owned)](auto &&...) {
                                     isInside = wasCalled = true;
                                     std::this_thread::sleep_for(std::chrono::milliseconds(50));
                                     isInside = false;
                                   },
                               .packs = ""});
  REQUIRE(context);
  specmv::PlanOptions options = onHost();
  options.context = context->get();
  options.start = SPECMV_START_NOW;
  options.onlyPacks = 1; // there is no pack: the set-up fails, which is told
  const Small small;
  const auto a = small.matrix();
  auto plan = specmv::Plan<double>::create(*a, options);
  REQUIRE_MESSAGE(plan, plan.error().detail);
  while (!wasCalled)
    std::this_thread::yield();
  *context = specmv::Context();
  CHECK_FALSE(isInside);
  CHECK_FALSE(wasFreedInside);
  CHECK(context->get() == nullptr);
}

TEST_CASE("C++: the order of a plan's rows and columns") {
  const Small small;
  const auto a = small.matrix();
  specmv::PlanOptions options = onHost();
  options.order = "bfs";
  auto plan = specmv::Plan<double>::create(*a, options);
  REQUIRE_MESSAGE(plan, plan.error().detail);
  std::vector<int64_t> rows(3, -1), few(2);
  REQUIRE(plan->permutation(rows, {}));
  CHECK(rows == std::vector<int64_t>{0, 1, 2}); // the host has the order of the matrix
  const auto refused = plan->permutation(rows, few);
  CHECK(refused.error().detail.find("rows has 3 elements and columns 2; the plan has 3 rows and 3 "
                                    "columns") != std::string::npos);
}
