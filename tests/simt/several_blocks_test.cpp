// Packs matrices of several blocks of set-up kernels on the host executor, and compares each array
// with the host's packing: long rows, many distinct contents, 64-bit indices, refusals.
#include "tests/generator/formats/one_format.h"
#include "tests/simt/packing_testing.h"

using namespace specmv;
using namespace specmv::testing;
using specmv::simt::Packs;

namespace {

// Packs for one plan on both sides, which must agree, also in their refusals.
Packs packsFor(const CsrView &a, const Plan &plan) {
  const std::string text = plan.text();
  CAPTURE(text);
  return simt::checkPacking(Valued(a, kDouble.type, 1).view(), plan, kDouble, 1);
}

// Checks all plans that a format offers, for a matrix with indices of 32 and of 64 bits. It may
// offer a plan that both sides refuse: BCSR's blocks are full only as far as they were sampled.
void checkPlans(const CsrMatrix &a, const std::string &format, const Fixed &fixed = {},
                Packs who = Packs::device) {
  CAPTURE(a.name);
  const Offer offer = offerOf(a, format, fixed);
  CHECK_MESSAGE(!offer.plans.empty(), offer.why);
  bool isPacked = false;
  for (const Plan &plan : offer.plans) {
    const Packs seen = packsFor(a.view(), plan);
    CHECK((seen == who || seen == Packs::nobody));
    CHECK(packsFor(WideMatrix(a).view(), plan) == seen);
    isPacked |= seen == who;
  }
  CHECK(isPacked);
}

// Diagonals; `has` selects the entries of each row.
template <class Has>
CsrMatrix diagonalMatrix(const char *name, int64_t rows, int64_t cols,
                         const std::vector<int64_t> &offsets, const Has &has) {
  return matrixOf(name, rows, cols, [&](int64_t i) {
    Row row;
    for (size_t d = 0; d < offsets.size(); ++d)
      if (i + offsets[d] >= 0 && i + offsets[d] < cols && has(i, static_cast<int64_t>(d)))
        row.push_back(static_cast<int32_t>(i + offsets[d]));
    if (i % 7 == 3)
      std::reverse(row.begin(), row.end());
    return row;
  });
}

std::vector<int64_t> offsetsFrom(int64_t first, int64_t step, int64_t count) {
  std::vector<int64_t> out;
  for (int64_t d = 0; d < count; ++d)
    out.push_back(first + d * step);
  return out;
}

} // namespace

TEST_CASE("DIA: few and many sets of holes, rows that do not ascend, several tiles of diagonals") {
  const auto all = [](int64_t, int64_t) { return true; };
  const auto grid = [](int64_t i, int64_t d) { return d != 1 || i % 50 != 0; };
  const auto mixed = [](int64_t i, int64_t d) {
    return (i * 2654435761 >> 7 ^ d * 40503) % 8 != 0 || d == 0;
  };
  checkPlans(diagonalMatrix("no holes", 5003, 5100, {0, 1, 40, 90}, all), "dia");
  checkPlans(diagonalMatrix("grid", 7011, 7011, {-50, -1, 0, 1, 50}, grid), "dia");
  checkPlans(diagonalMatrix("own holes", 9001, 8000, offsetsFrom(-200, 11, 41), mixed), "dia");
  checkPlans(diagonalMatrix("most diagonals", 1200, 1500, offsetsFrom(-3, 1, 256), mixed), "dia");
}

TEST_CASE("DIA: what the plan does not fit is refused as by the host, repeated entries go there") {
  const auto grid = [](int64_t i, int64_t d) { return d != 1 || i % 50 != 0; };
  const CsrMatrix a = diagonalMatrix("grid", 3000, 3000, {-50, -1, 0, 1, 50}, grid);
  const CsrMatrix stray =
      diagonalMatrix("stray", 3000, 3000, {-50, -1, 0, 1, 49, 50},
                     [&](auto i, auto d) { return d == 4 ? i == 1500 : grid(i, d); });
  const Plan plan = offerOf(a, "dia").plans.at(0);
  CHECK(packsFor(stray.view(), plan) == Packs::nobody);
  CHECK(packsFor(a.view(), planWith(plan, "holes", 0)) == Packs::nobody);
  const CsrMatrix repeated = matrixOf("repeated", 3000, 3000, [](int64_t i) {
    return i == 1700 ? Row{1700, 1700} : Row{static_cast<int32_t>(i)};
  });
  checkPlans(repeated, "dia", {}, Packs::host);
}

TEST_CASE(
    "CSR5: rows over many tiles, empty rows in clusters and at both ends, every width of flags") {
  const CsrMatrix clusters = matrixOf("clusters of empty rows", 20000, 5000, [](int64_t i) {
    const bool isEmpty = i < 700 || i % 900 > 600 || i % 5 == 1 || i > 19000;
    return isEmpty ? Row{} : scattered(i, i == 12345 ? 4000 : 1 + i % 4, 5000);
  });
  const CsrMatrix full = matrixOf("a long row", 9000, 9000, [](int64_t i) {
    return i == 77 ? run(0, 9000) : run(i, i < 9000 - 5 ? 5 : 1);
  });
  const Fixed few{{"csr5.omega", 8}, {"csr5.sigma", 3}},
      wide{{"csr5.omega", 16}, {"csr5.sigma", 13}};
  const Fixed most{{"csr5.omega", 32}, {"csr5.sigma", 32}, {"csr5.tiles", 1}};
  for (const Fixed &fixed : {Fixed{}, few, wide, most}) {
    checkPlans(clusters, "csr5", fixed);
    checkPlans(full, "csr5", fixed);
  }
}

TEST_CASE("CSR5: a plan that does not fit is refused as by the host") {
  const CsrMatrix a = matrixOf("a", 3000, 3000, [](int64_t i) { return run(i / 2, 1 + i % 3); });
  const Plan plan = offerOf(a, "csr5").plans.at(0);
  CHECK(packsFor(a.view(), planWith(plan, "empty", 1)) == Packs::nobody);
  const Plan narrow = planWith(planWith(plan, "csr5.omega", 8), "block", 512);
  CHECK(packsFor(a.view(), narrow) == Packs::nobody);
}

// Rows of `count` blocks of r x c, where the rows of a block row share the columns; `has` selects
// the entries.
template <class Has>
static CsrMatrix blockMatrix(const char *name, int64_t rows, int64_t cols, int64_t r, int64_t c,
                             int64_t count, const Has &has) {
  return matrixOf(name, rows, cols, [&](int64_t i) {
    Row row;
    for (int64_t block : scattered(i / r, count + i / r % 3, cols / c))
      for (int64_t j = 0; j < c; ++j)
        if (has(i, block * c + j))
          row.push_back(static_cast<int32_t>(block * c + j));
    return row;
  });
}

TEST_CASE("BCSR: full blocks and some with gaps, every number of lanes, slices of uneven rows") {
  const auto all = [](int64_t, int64_t) { return true; };
  const auto most = [](int64_t i, int64_t j) { return (i * 7 + j * 13) % 5 != 0; };
  const CsrMatrix full = blockMatrix("full blocks", 1401, 3000, 3, 3, 9, all);
  // Rows that agree, then do not, and then agree again.
  const auto nearly = [](int64_t i, int64_t j) { return (i * 7 + j * 13) % 97 != 0; };
  const CsrMatrix rare = blockMatrix("rare gaps", 800, 9000, 3, 3, 60, nearly);
  const CsrMatrix gaps = blockMatrix("gaps", 1403, 6000, 3, 4, 6, most);
  const CsrMatrix uneven = matrixOf("uneven rows", 803, 2500, [](int64_t i) {
    return i / 8 % 40 == 7 ? run(i % 90, i == 63 ? 900 : 200) : run(i / 8 * 9, 60 + i / 4 % 9);
  });
  const CsrMatrix offered = blockMatrix("gaps of an offered shape", 1403, 6000, 4, 4, 6, most);
  checkPlans(full, "bcsr");
  checkPlans(offered, "bcsr");
  const auto check = [](const CsrMatrix &a, double r, double c, double lanes) {
    checkPlans(a, "bcsr", {{"bcsr.r", r}, {"bcsr.c", c}, {"bcsr.lanes", lanes}});
  };
  for (double lanes : {1, 2, 8, 32})
    check(gaps, 3, 4, lanes);
  for (double lanes : {1, 8}) {
    check(full, 3, 3, lanes);
    check(rare, 3, 3, 4 * lanes);
    check(uneven, 8, 4, 2 * lanes);
    check(uneven, 5, 1, 4 * lanes);
  }
}

TEST_CASE("BCSR: what does not ascend goes to the host, what does not fit is refused as there") {
  const CsrMatrix descending = matrixOf("descending", 900, 900, [](int64_t i) {
    return i == 555 ? Row{8, 7} : run(i, 2);
  });
  checkPlans(descending, "bcsr", {{"bcsr.r", 3}, {"bcsr.c", 3}}, Packs::host);
  const CsrMatrix a = matrixOf("far", 3000, 200000, [](int64_t i) {
    return Row{static_cast<int32_t>(i), static_cast<int32_t>(i == 2000 ? 190000 : i + 4)};
  });
  const Plan plan = offerOf(a, "bcsr", {{"bcsr.r", 1}, {"bcsr.c", 1}}).plans.at(0);
  CHECK(packsFor(a.view(), planWith(plan, "local", 1)) == Packs::nobody);
  const Plan other = offerOf(a, "bcsr", {{"bcsr.r", 3}, {"bcsr.c", 1}}).plans.at(0);
  CHECK(packsFor(a.view(), planWith(other, "full", 1)) == Packs::nobody);
}
