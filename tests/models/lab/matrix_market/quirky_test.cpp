// Reads every file of the collection in SPECMV_MATRICES and compares it with the collection's
// indexes.
#include "tests/matrix_folder.h"
#include "tests/models/lab/matrix_market/matrix_market_testing.h"

#include <iterator>
#include <regex>
#include <sstream>

using namespace specmv;
using namespace specmv::testing;

namespace {

using Row = std::vector<std::string>;

// Reads a table of tab-separated text without its header; empty if there is no such file.
std::vector<Row> table(const std::string &path) {
  std::ifstream in(path);
  std::vector<Row> rows;
  std::string line, cell;
  for (std::getline(in, line); std::getline(in, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, '\t'))
      rows.back().push_back(cell);
  }
  return rows;
}

// Returns false, after a message, if the collection is not on this machine.
bool available(const std::vector<Row> &rows) {
  if (rows.empty())
    MESSAGE("skipped: no matrices in " << matrixFolder() << " (SPECMV_MATRICES names the folder)");
  return !rows.empty();
}

bool isRefusal(const std::string &path, const std::string &text) {
  static const std::regex place("(:[0-9]+:[0-9]+)?: error: [^\n]+(\n[^\n]*\n *\\^~*)?");
  return text.starts_with(path) && std::regex_match(text.substr(path.size()), place);
}

} // namespace

TEST_CASE("every quirky file is accepted or refused as its index says") {
  const std::vector<Row> rows = table(matrixFolder() + "/quirky/INDEX.tsv");
  if (!available(rows))
    return;
  for (const Row &row : rows) {
    const std::string path = matrixFolder() + "/quirky/" + row[0];
    Failure failure = failureOf(readMatrixMarket(path));
    CAPTURE(path);
    CAPTURE(failure.text);
    if (row[1] == "accept")
      CHECK(failure.text.empty());
    if (row[1] == "refuse")
      CHECK(!failure.text.empty());
    CHECK((failure.text.empty() || isRefusal(path, failure.text)));
    CHECK((failure.text.empty() || failure.status == Status::badInput));
  }
}

TEST_CASE("a file with symmetry equals its twin written out") {
  const std::vector<Row> rows = table(matrixFolder() + "/quirky/INDEX.tsv");
  if (!available(rows))
    return;
  const std::pair<const char *, const char *> kTwins[] = {
      {"coordinate_symmetric_row", "coordinate_symmetric_row_general"},
      {"coordinate_pattern_symmetric_row", "coordinate_pattern_symmetric_row_general"},
      {"coordinate_skew_symmetric_row", "coordinate_skew_symmetric_row_general_zero"}};
  for (const auto &twins : kTwins) {
    CAPTURE(twins.first);
    auto read = [](const std::string &name) {
      return valueOf(readMatrixMarket(matrixFolder() + "/quirky/fmm_" + name + ".mtx"));
    };
    CsrMatrix a = read(twins.first), b = read(twins.second);
    checkMatrix(a, b.rows, b.cols, b.rowPtr, b.col, b.val);
  }
}

TEST_CASE("the real matrices have the dimensions and entries of their index") {
  const std::vector<Row> rows = table(matrixFolder() + "/INDEX.tsv");
  if (!available(rows))
    return;
  for (const Row &row : rows) {
    CAPTURE(row[0]);
    CsrMatrix a = valueOf(readMatrixMarket(matrixFolder() + "/" + row[0] + ".mtx.gz"));
    CHECK(a.name == row[0]);
    CHECK(std::to_string(a.rows) == row[1]);
    CHECK(std::to_string(a.cols) == row[2]);
    CHECK(std::to_string(a.nnz()) == row[3]);
  }
}
