// Tests of the bench's decisions that need no GPU: how much effort a product is worth, and the
// order in which formats are measured.
#include "runtime/lab/bench/bench.h"
#include "runtime/measure/measure.h"

#include <doctest/doctest.h>

using namespace specmv;

TEST_CASE("a product is measured in batches of about three milliseconds") {
  struct Case {
    double us;
    int perBatch;
  };
  for (const Case &c : {Case{0, 500}, {3, 500}, {30, 100}, {599, 5}, {1e6, 5}}) {
    CAPTURE(c.us);
    const Effort effort = effortFor(c.us, 0);
    CHECK(effort.perBatch == c.perBatch);
    CHECK(effort.batches == 7);
    CHECK(effort.cold == 7);
    CHECK(effort.repeats == 20);
    CHECK_FALSE(effort.brief);
  }
}

TEST_CASE("what is slower than 20 times the fastest gets a brief figure, and is still repeated") {
  CHECK_FALSE(effortFor(60, 3).brief);
  const Effort effort = effortFor(61, 3);
  CHECK(effort.brief);
  CHECK(effort.batches * effort.perBatch <= 2);
  CHECK(effort.batches * effort.perBatch >= 1);
  CHECK(effort.cold == 1);
}

TEST_CASE("a brief product is run 20 times for equal bits unless that takes over a second") {
  CHECK(effortFor(61, 3).repeats == 20);
  CHECK(effortFor(50'000, 3).repeats == 20);
  CHECK(effortFor(100'000, 3).repeats == 10);
  CHECK(effortFor(1e9, 3).repeats == 2);
}

TEST_CASE("to find the fastest, what is slower than 1.5 times the fastest is given up") {
  for (const Protocol &protocol : {kToMeasure, kToTry}) {
    CHECK_FALSE(effortFor(4.5, 3, protocol).brief);
    CHECK(effortFor(4.6, 3, protocol).brief);
    CHECK(effortFor(4.6, 3, protocol).us == 4.6);
    CHECK_FALSE(effortFor(4.6, 0, protocol).brief); // the first
  }
  CHECK(effortFor(30, 0, kToMeasure).perBatch == effortFor(30, 0).perBatch);
}

TEST_CASE("a trial takes a fifth of a millisecond a batch, and a long product once") {
  CHECK(effortFor(10, 0, kToTry).perBatch == 20);
  CHECK(effortFor(10, 0, kToTry).batches == 3);
  CHECK(effortFor(201, 0, kToTry).perBatch == 1);
  CHECK(comparingUs(10, kToTry) == 10 * (2 + 5 + 3 * 20));
  CHECK(comparingUs(1000, kToTry) == 1000 * (2 + 5 + 3));
}

TEST_CASE("formats are measured by their best prediction, those without a plan last") {
  Ranked ranked;
  for (const char *name : {"csr-scalar", "dia", "ell", "csr5"})
    ranked.offers.push_back({findFormat(name), {}, ""});
  for (const char *name : {"csr5", "ell", "csr5", "csr-scalar"})
    ranked.candidates.push_back({.plan = {.format = name}, .predictedUs = 1});
  CHECK(measuringOrder(ranked) == std::vector<size_t>{3, 2, 0, 1});
}
