// Tests of CUPTI without a GPU: the message if it is missing, and whether the required counters
// exist on each generation of chips.
#include "runtime/lab/cupti/counters.h"

#include "runtime/lab/cupti/kernel_metrics.h"
#include "tests/simt/sanitizer.h"
#include "tests/text.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Returns true if CUPTI's host side works here, and reports the reason if not.
bool hasCupti() {
  const std::string why = simt::kAddressSanitizer
                              ? "CUPTI opens libraries in a way that AddressSanitizer forbids"
                              : describe(checkCupti()).second;
  if (!why.empty())
    MESSAGE("skipped: " << why);
  return why.empty();
}

bool builtWithoutCupti(const std::string &sentence) {
  return contains(sentence, "this build of specmv") && contains(sentence, "cupti_range_profiler.h");
}

} // namespace

TEST_CASE("a CUPTI that is not there is missing, and the sentence names the file") {
  const auto [status, sentence] = describe(checkCupti({"/nowhere/libcupti.so.13"}));
  CHECK(status == Status::missing);
  CHECK((contains(sentence, "no CUPTI: cannot open /nowhere/libcupti.so.13") ||
         builtWithoutCupti(sentence)));
}

TEST_CASE("a library without CUPTI's functions is missing, and the sentence names one") {
  const auto [status, sentence] = describe(checkCupti({"libm.so.6"}));
  CHECK(status == Status::missing);
  CHECK((contains(sentence, "libm.so.6 has no cupti") || builtWithoutCupti(sentence)));
}

TEST_CASE("every chip from Turing on counts all that is told, in a few passes") {
  if (!hasCupti())
    return;
  // GB202 uses newer names for two of the counters.
  for (const char *chip : {"TU102", "GA100", "AD102", "GH100", "GB100", "GB202"}) {
    CAPTURE(std::string(chip));
    auto schedule = scheduleOn(chip, kernelCounters());
    if (!schedule)
      FAIL(describe(schedule.takeError()).second);
    REQUIRE(schedule->has.size() == kernelCounters().size());
    for (size_t i = 0; i < schedule->has.size(); ++i)
      CHECK_MESSAGE(schedule->has[i], kernelCounters()[i].name);
    CHECK(schedule->passes >= 1);
    CHECK(schedule->passes <= 4); // added one by one they would take ten
  }
}

TEST_CASE("what a chip does not count is left out, and the rest is counted") {
  if (!hasCupti())
    return;
  const Counter counters[] = {{"smsp__inst_executed.sum"}, {"smsp__inst_execute.sum"}};
  auto schedule = scheduleOn("GH100", counters);
  if (!schedule)
    FAIL(describe(schedule.takeError()).second);
  CHECK(schedule->has == std::vector<bool>{true, false});
  CHECK(schedule->passes == 1);
}

TEST_CASE("a chip that CUPTI does not know is missing, and the sentence names call and result") {
  if (!hasCupti())
    return;
  auto schedule = scheduleOn("GX999", kernelCounters());
  REQUIRE(!schedule);
  const auto [status, sentence] = describe(schedule.takeError());
  CHECK(status == Status::missing);
  CHECK(contains(sentence, "cuptiProfilerHostInitialize failed: CUPTI_ERROR_INVALID_CHIP_NAME"));
  CHECK(contains(sentence, "older than the GPU"));
}
