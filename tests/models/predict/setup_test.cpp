// Tests of the model of set-ups, and of weighing set-ups against products, by properties.
#include "models/predict/worth.h"

#include "models/base/error.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

const GpuModel &h200() {
  static const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  return gpu;
}

// stencil5:n=3000 in double.
const SetupSize kGrid{.rows = 9000000, .cols = 9000000, .nnz = 44988000};

double packUs(const std::string &format, KernelState product, KernelState packing,
              const SetupSize &size = kGrid) {
  return packTime({.format = format,
                   .storedBytes = size.nnz * size.valueBytes,
                   .product = product,
                   .packing = packing},
                  size, h200())
      .totalUs();
}

} // namespace

TEST_CASE("set-up: what was measured on the H200 comes out") {
  const double host = setupCost(h200(), "profile", "hostUs");
  CHECK(profileTime(kGrid, KernelState::loaded, h200()).totalUs() - host ==
        doctest::Approx(387).epsilon(0.05)); // the kernels
  CHECK(packUs("dia", KernelState::loaded, KernelState::loaded) ==
        doctest::Approx(249).epsilon(0.1));
  const SetupSize blocks{.rows = 648000, .cols = 648000, .nnz = 50757768}; // elasticity:n=60
  CHECK(packUs("bcsr", KernelState::loaded, KernelState::loaded, blocks) ==
        doctest::Approx(397).epsilon(0.1));
}

TEST_CASE("set-up: what is ready beats what is not, and what is loaded beats that") {
  using enum KernelState;
  for (const char *format : {"csr-vector", "dia", "bcsr", "a-format-without-costs"}) {
    CHECK(packUs(format, loaded, loaded) < packUs(format, ready, loaded));
    CHECK(packUs(format, ready, loaded) < packUs(format, ready, ready));
    CHECK(packUs(format, ready, ready) < packUs(format, missing, ready));
    CHECK(packUs(format, missing, ready) < packUs(format, missing, missing));
  }
  CHECK(profileTime(kGrid, loaded, h200()).workUs == profileTime(kGrid, missing, h200()).workUs);
  CHECK(profileTime(kGrid, ready, h200()).kernelsUs <
        profileTime(kGrid, missing, h200()).kernelsUs);
}

TEST_CASE("set-up: more entries take longer, and the host longer than the GPU") {
  SetupSize more = kGrid;
  more.nnz *= 2;
  const SetupWork here{.format = "ell", .storedBytes = kGrid.nnz * 12};
  SetupWork onHost = here;
  onHost.isPackedHere = false;
  SetupWork lent = here;
  lent.lentBytes = lent.storedBytes; // neither read nor written
  SetupWork opening = here;
  opening.opensLibrary = true;
  const auto us = [](const SetupWork &work, const SetupSize &size) {
    return packTime(work, size, h200()).totalUs();
  };
  CHECK(us(here, kGrid) < us(here, more));
  CHECK(us(onHost, kGrid) < us(onHost, more));
  CHECK(us(here, kGrid) < us(onHost, kGrid));
  CHECK(us(lent, kGrid) < us(here, kGrid) / 10);
  CHECK(us(here, kGrid) < us(opening, kGrid));
  CHECK(packTime({.format = "ell"}, {}, h200()).totalUs() > 0);
}

TEST_CASE("worth: few products want the least set-up, and many the least time of a product") {
  const Worth candidates[] = {{10, 500}, {5, 2000}, {20, 100}, {4.9, 100000}, {4.9, 90000}};
  CHECK(chooseFor(1, candidates) == 2);
  CHECK(chooseFor(100, candidates) == 0);
  CHECK(chooseFor(1000, candidates) == 1);
  CHECK(chooseFor(int64_t{1} << 40, candidates) == 4);
  CHECK(chooseFor(7, {}) == 0);
  CHECK(chooseFor(7, {{1, 1}, {1, 1}}) == 0); // the first of equal ones
  size_t before = 2;
  double totalBefore = 0;
  for (int64_t n = 1; n < int64_t{1} << 40; n *= 3) { // the choice's product never gets longer
    const size_t now = chooseFor(n, candidates);
    CHECK(candidates[now].productUs <= candidates[before].productUs);
    CHECK(candidates[now].totalUs(n) > totalBefore);
    totalBefore = candidates[now].totalUs(n);
    before = now;
  }
}

TEST_CASE("worth: at the break-even the other plan has the smaller total, and not one before") {
  const Worth cheap{10, 100};
  for (const Worth &fast : {Worth{9, 200}, Worth{9.99, 1e6}, Worth{1, 100}, Worth{9.5, 100.1}}) {
    const int64_t n = breakEven(cheap, fast);
    CHECK(fast.totalUs(n) < cheap.totalUs(n));
    CHECK(fast.totalUs(n - 1) >= cheap.totalUs(n - 1));
  }
  CHECK(breakEven(cheap, {10, 200}) == kNever);
  CHECK(breakEven(cheap, {11, 200}) == kNever);
  CHECK(breakEven(cheap, {11, 50}) == 0);
  CHECK(breakEven(cheap, {10 - 1e-15, 1e300}) == kNever); // more products than can be counted
}

TEST_CASE(
    "worth: a profile pays sooner where its kernels are at hand, and never for few products") {
  using enum KernelState;
  for (int64_t entries : {int64_t{0}, int64_t{1000}, int64_t{1000000}, int64_t{1} << 31}) {
    const SetupSize size{.rows = entries / 5, .cols = entries / 5, .nnz = entries};
    const int64_t warm = leastProductsToProfile(size, loaded, loaded, h200());
    CHECK(warm >= 1);
    CHECK(warm <= leastProductsToProfile(size, loaded, missing, h200()));
    CHECK(leastProductsToProfile(size, missing, missing, h200()) <=
          leastProductsToProfile(size, loaded, missing, h200()));
    CHECK(productUsAtLeast(size, h200()) <= csrAsItIs(size, loaded, h200()).productUs);
  }
  CHECK(leastProductsToProfile(kGrid, loaded, loaded, h200()) < 10);
}

TEST_CASE("set-up: a GPU model that lacks a cost is refused with it") {
  Rates costs = h200().setup;
  CHECK_FALSE(llvm::errorToBool(checkSetupCosts(costs, "my.json")));
  const auto [status, sentence] = describe(checkSetupCosts({}, "my.json"));
  CHECK(status == Status::badInput);
  CHECK(sentence.find("my.json: field 'setup' lacks 'any.hostUs'") == 0);
}
