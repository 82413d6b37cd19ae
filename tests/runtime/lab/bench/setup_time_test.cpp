// Tests of the measurement of set-ups: the number of runs, the extrapolation of totals, when a
// set-up has paid off, and what is timed and checked of a contender, on the fake driver.
#include "runtime/lab/bench/setup_time.h"

#include "models/lab/families/families.h"
#include "runtime/host_product.h"
#include "tests/runtime/cuda/fake_driver.h"

#include <cmath>

using namespace specmv;

namespace {

// A contender with these times of set-up and product.
SetupTime timeOf(const char *contender, const char *state, double setupUs, double productUs,
                 Side from = Side::device) {
  SetupTime out{.contender = contender,
                .state = state,
                .from = from,
                .setupUs = setupUs,
                .productUs = productUs,
                .verified = true};
  out.totals = continuedTotals({setupUs + productUs}, productUs);
  return out;
}

SetupTime withoutTimes(const char *contender) {
  return {.contender = contender, .state = "again", .why = "does not apply"};
}

} // namespace

TEST_CASE("runs are repeated five times, more often if they are short, and once if they are long") {
  CHECK_FALSE(isEnough(0, 0, 0));
  CHECK_FALSE(isEnough(4, 4e5, 1e5));
  CHECK(isEnough(5, 5e5, 1e5));
  CHECK_FALSE(isEnough(5, 5e3, 1e3));
  CHECK(isEnough(15, 150, 10));
  CHECK(isEnough(1, 6e5, 6e5));
}

TEST_CASE("as many products are run as take 0.03 seconds, and one in any case") {
  CHECK(countsToRun(2) == 5);
  CHECK(countsToRun(3) == 5);
  CHECK(countsToRun(4) == 4);
  CHECK(countsToRun(3e3) == 2);
  CHECK(countsToRun(1e6) == 1);
}

TEST_CASE("a total goes on from the largest number that was run by the time of a product") {
  const std::vector<TotalTime> totals = continuedTotals({150, 600}, 50);
  REQUIRE(totals.size() == 5);
  CHECK(totals[0].us == 150);
  CHECK(totals[1].measured);
  CHECK(totals[2].n == 100);
  CHECK_FALSE(totals[2].measured);
  CHECK(totals[2].us == 600 + 90 * 50);
  CHECK(totals[4].us == 600 + 9990 * 50);
}

TEST_CASE("a set-up has paid when it is below each of the others") {
  // 1000 + 2 n < 100 + 5 n from n = 301 on; < 1 + 10 n from n = 125 on.
  CHECK(paidAfter({1000, 2}, {{100, 5}, {1, 10}}) == 301);
  CHECK(paidAfter({1000, 2}, {{1, 10}}) == 125);
  CHECK(paidAfter({100, 2}, {{1000, 5}}) == 1);
  CHECK_FALSE(paidAfter({1000, 5}, {{100, 2}}));
  CHECK_FALSE(paidAfter({1000, 5}, {{100, 5}}));
  CHECK(paidAfter({100, 5}, {{1000, 5}}) == 1);
  // From 10 products on, one is beaten; from 5 on, the other is no longer beaten.
  CHECK_FALSE(paidAfter({1000, 10}, {{100, 100}, {1025, 5}}));
  CHECK(paidAfter({1000, 10}, {{900, 100}, {1025, 5}}) == 2);
  CHECK_FALSE(paidAfter({1000, 10}, {}));
}

TEST_CASE("figures compare each of our states with what cuSPARSE does from the same side") {
  const std::vector<SetupFigure> figures = figuresOf({
      timeOf("specmv", "pack", 1000, 2),
      timeOf("specmv", "again", 200, 2),
      timeOf("specmv", "again", 500, 2, Side::host),
      timeOf("cusparse-csr", "again", 1, 10),
      timeOf("cusparse-sell", "again", 100, 5),
      withoutTimes("cusparse-bsr"),
  });
  REQUIRE(figures.size() == 3);
  CHECK(figures[0].state == "pack");
  CHECK(figures[0].ratio == 2.5);
  CHECK(figures[0].inProducts() == 500);
  CHECK(figures[0].breakEven == 301);
  CHECK(figures[0].paysAfter() == 334); // cuSPARSE's set-up counts nothing
  CHECK(figures[0].isBelow == std::vector<bool>{false, false, false, true, true});
  CHECK(figures[1].breakEven == 34);
  CHECK(figures[1].paysAfter() == 67);
  CHECK(figures[1].isBelow == std::vector<bool>{false, false, true, true, true});
  CHECK(figures[2].from == Side::host); // where nothing of cuSPARSE was measured
  CHECK(figures[2].ratio == 0);
  CHECK_FALSE(figures[2].breakEven);
  CHECK_FALSE(figures[2].paysAfter());
  CHECK(figures[2].isBelow.empty());
}

TEST_CASE("where the number of products was known, their total is compared with the best") {
  std::vector<SetupTime> times = {
      timeOf("specmv", "products", 300, 2), timeOf("cusparse-csr", "again", 1, 10),
      timeOf("cusparse-sell", "again", 100, 5), withoutTimes("cusparse-bsr")};
  times[0].products = 100;
  times[0].totals = {{100, 500, true}};
  const std::vector<SetupFigure> figures = figuresOf(times);
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].products == 100);
  CHECK(figures[0].overBest == doctest::Approx(500.0 / 600)); // cuSPARSE's: 1001 and 600
  CHECK(figures[0].isBelow == std::vector<bool>{true});
  times.resize(1);
  CHECK(figuresOf(times)[0].overBest == 0);
}

TEST_CASE("a wrong product has no figures, and is told") {
  std::vector<SetupTime> times = {timeOf("specmv", "again", 1, 2), withoutTimes("cusparse-bsr"),
                                  timeOf("cusparse-csr", "again", 1, 1)};
  CHECK_FALSE(wrongSetup(times));
  times[2].verified = false;
  REQUIRE(wrongSetup(times));
  CHECK(wrongSetup(times)->contender == "cusparse-csr");
  CHECK(figuresOf(times)[0].ratio == 0);
  times[0].verified = false;
  CHECK(figuresOf(times).empty());
}

namespace {

// A contender whose product is the host's: the memory of the fake GPU is the host's memory.
struct HostContender {
  int prepared = 0, made = 0, products = 0;
  double factor = 1; // 1: its product is right

  SetupContender contender(bool once) {
    SetupContender out{.name = "host", .state = "again", .once = once};
    out.before = [this](const SetupBed &, Side) {
      ++prepared;
      return llvm::Error::success();
    };
    out.make = [this](const SetupBed &bed, Side) -> llvm::Expected<MadeProduct> {
      ++made;
      if (auto scratch = bed.gpu->allocate(4000); !scratch) // let go at once
        return scratch.takeError();
      MadeProduct product{.plan = "host"};
      product.run = [this, &bed](double alpha, DevicePointer x, double beta, DevicePointer y,
                                 StreamHandle /*stream*/) {
        ++products;
        multiplyOnHost(bed.onHost, alpha * factor, reinterpret_cast<const void *>(x), beta,
                       reinterpret_cast<void *>(y));
        return llvm::Error::success();
      };
      return product;
    };
    return out;
  }
};

} // namespace

TEST_CASE("child: a contender" * doctest::skip()) {
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=4"));
  const auto bed = llvm::cantFail(SetupBed::make(a.view(), llvm::cantFail(GpuDevice::open(0))));
  HostContender host;
  const SetupTime time = llvm::cantFail(measureSetup(host.contender(false), *bed, Side::device));
  CHECK(host.prepared == host.made);
  CHECK(host.made >= 2 + 4 * 5); // of 0, 1, 10 and 100 products
  CHECK(time.verified);
  CHECK(time.plan == "host");
  CHECK(time.productUs == 150); // by the fake driver's events: 1,000 products are not run
  CHECK(time.peakBytes == 4000);
  REQUIRE(time.totals.size() == 5);
  CHECK(time.totals[2].measured);
  CHECK_FALSE(time.totals[3].measured);
  CHECK(time.totals[3].us == time.totals[2].us + 900 * 150.0);

  HostContender knowing;
  SetupContender known = knowing.contender(false);
  known.products = 10'000;
  const SetupTime total = llvm::cantFail(measureSetup(known, *bed, Side::device));
  CHECK(total.products == 10'000);
  REQUIRE(total.totals.size() == 1);
  CHECK(total.totals[0].n == 10'000);
  CHECK_FALSE(total.totals[0].measured); // 100 are run
  CHECK(total.totals[0].us > 9900 * 150.0);
  known.products = 10;
  CHECK(llvm::cantFail(measureSetup(known, *bed, Side::device)).totals[0].measured);

  HostContender wrong{.factor = 2};
  const SetupTime once = llvm::cantFail(measureSetup(wrong.contender(true), *bed, Side::device));
  CHECK(wrong.made == 1);
  CHECK_FALSE(once.verified);
  CHECK(once.totals[0].measured);
  CHECK_FALSE(once.totals[1].measured);

  const SetupContender refused{.name = "none", .state = "again", .why = "does not apply"};
  const SetupTime none = llvm::cantFail(measureSetup(refused, *bed, Side::host));
  CHECK(none.why == "does not apply");
  CHECK(none.totals.empty());
}

TEST_CASE("a contender is made anew for each run, its product checked and its times medians") {
  passesWithFakeGpu("child: a contender");
}
