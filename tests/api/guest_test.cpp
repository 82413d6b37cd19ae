// Tests the C API in applications that set a locale, trap floating-point exceptions, limit the size
// of files or pass a wrong number of entries. Changes that a process cannot undo are made in a
// child.
#include "tests/api/api_testing.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"

#include <cfenv>
#include <clocale>
#include <cstdlib>
#include <regex>
#include <sys/resource.h>
#include <unistd.h>

using namespace apitest;

namespace {

int statusAfter(const std::function<void()> &prepare, int64_t rows) {
  return statusInChild(randomCsr<int32_t, double>(rows, 5, 3), prepare);
}

} // namespace

TEST_CASE("child: a locale with decimal commas" * doctest::skip()) {
  REQUIRE(std::setlocale(LC_ALL, "de_DE.UTF-8"));
  REQUIRE(*std::localeconv()->decimal_point == ',');
  struct Told {
    std::string all;
    bool isGerman = true;
  } told;
  specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
  settings.log = [](void *user, specmvLogLevel_t, const char *sentence) {
    auto &to = *static_cast<Told *>(user);
    to.all += std::string(sentence) + "\n";
    to.isGerman &= *std::localeconv()->decimal_point == ',';
  };
  settings.logUser = &told, settings.logLevel = SPECMV_LOG_DEBUG;
  specmvContext_t context = nullptr;
  REQUIRE(specmvCreateContext(&context, &settings) == SPECMV_STATUS_SUCCESS);
  specmvPlanOptions_t options = hostOptions();
  options.context = context;
  {
    const Plan plan(randomCsr<int32_t, double>(100, 90, 3), options);
    const char *json = nullptr;
    REQUIRE(specmvGetPlanJson(plan, &json) == SPECMV_STATUS_SUCCESS);
    CHECK(std::string(json).find("\"ofCsrBytes\":") != std::string::npos);
    told.all += json;
  }
  // A digit may follow a comma only in a list of JSON, which this plan does not have; in sentences
  // a space follows.
  const std::regex decimalComma("[0-9],[0-9]");
  CHECK_MESSAGE(!std::regex_search(told.all, decimalComma), told.all);
  CHECK(std::regex_search(told.all, std::regex("set-up [0-9]+[.][0-9]+ ms")));
  CHECK(told.isGerman); // while the application's function runs
  CHECK(*std::localeconv()->decimal_point == ',');
  specmvDestroyContext(context);
}

TEST_CASE("a locale with decimal commas changes no text and no product") {
  const ScratchDirectory locales("specmv-locale");
  const std::string name = locales.path() + "/de_DE.UTF-8", output = locales.path() + "/output";
  if (std::system(("localedef -i de_DE -f UTF-8 '" + name + "' >/dev/null 2>&1").c_str()) != 0) {
    MESSAGE("skipped: localedef cannot make the locale de_DE here");
    return;
  }
  const int status = runAlone("child: a locale with decimal commas",
                              {{"LOCPATH", locales.path()},
                               {"SPECMV_CACHE_PATH", ""},
                               {"SPECMV_CACHE_DIR", locales.path() + "/cache"}},
                              output);
  CHECK_MESSAGE(status == 0, readFile(output));
}

TEST_CASE("no division of ours has no value, also where a matrix has no rows") {
  const auto trap = [] { feenableexcept(FE_DIVBYZERO | FE_INVALID); };
  for (int64_t rows : {0, 1, 7, 1000})
    CHECK(statusAfter(trap, rows) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("a limit on the size of files ends neither the process nor the plan") {
  const ScratchDirectory dumped("specmv-dump");
  const auto limit = [&] {
    setenv("SPECMV_CACHE_DIR", "/dev/null", 1); // what is cached is not dumped
    setenv("SPECMV_DUMP", dumped.path().c_str(), 1);
    const rlimit few{100, 100};
    setrlimit(RLIMIT_FSIZE, &few);
  };
  CHECK(statusAfter(limit, 1000) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("more entries than rowPtr ends at are refused before any is read") {
  auto a = randomCsr<int32_t, double>(1000, 1000, 3);
  const auto nnz = static_cast<int64_t>(a.col.size());
  const specmvPlanOptions_t options = hostOptions();
  for (int64_t wrong : {nnz + 1, nnz + 100000, int64_t(1) << 40}) {
    CAPTURE(wrong);
    specmvMatrix_t m = nullptr;
    specmvPlan_t plan = nullptr;
    REQUIRE(specmvCreateCsr(&m, a.rows, a.cols, wrong, a.rowPtr.data(), a.col.data(), a.val.data(),
                            SPECMV_INDEX_32I, SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
    CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_INVALID_MATRIX);
    CHECK(detailHas("rowPtr ends at " + std::to_string(nnz)));
    CHECK(detailHas(std::to_string(wrong)));
    specmvDestroyMatrix(m);
  }
}

TEST_CASE("dimensions whose bytes cannot be reckoned with are refused in numbers") {
  const int32_t rowPtr[] = {0, 0};
  const int32_t col = 0;
  const double val = 1;
  const int64_t large = INT64_MAX;
  for (auto [rows, cols, nnz] : {std::array{large, int64_t(1), int64_t(0)},
                                 {int64_t(1), large, int64_t(0)},
                                 {int64_t(1), int64_t(1), large}}) {
    specmvMatrix_t m = nullptr;
    CHECK(specmvCreateCsr(&m, rows, cols, nnz, rowPtr, &col, &val, SPECMV_INDEX_32I,
                          SPECMV_R_64F) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas(std::to_string(large)));
    CHECK(m == nullptr);
  }
}

TEST_CASE("an x without elements overlaps nothing") {
  const int32_t rowPtr[] = {0, 0, 0};
  specmvMatrix_t m = nullptr;
  specmvPlan_t plan = nullptr;
  const specmvPlanOptions_t options = hostOptions();
  REQUIRE(specmvCreateCsr(&m, 2, 0, 0, rowPtr, nullptr, nullptr, SPECMV_INDEX_32I, SPECMV_R_64F) ==
          SPECMV_STATUS_SUCCESS);
  REQUIRE(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_SUCCESS);
  double y[] = {3, 4};
  const double alpha = 1, beta = 2;
  CHECK(specmvExecute(plan, &alpha, y + 1, &beta, y, nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(y[0] == 6);
  CHECK(y[1] == 8);
  specmvDestroyPlan(plan);
  specmvDestroyMatrix(m);
}
