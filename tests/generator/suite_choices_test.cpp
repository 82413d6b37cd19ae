// Compares the choices for the bench's full suite, and their predicted times, with those recorded
// in tests/generator/suite/, so that any change of how plans are offered, priced or ordered is
// seen. Generated matrices are read as signatures and counts of columns, real ones as files if they
// are present. With SPECMV_RECORD_CHOICES=1, the test records its results instead, for an intended
// change; with SPECMV_RECORD_SIGNATURES=1, it first profiles the generated matrices anew, for a
// changed profile.
#include "generator/rank.h"
#include "models/lab/families/families.h"
#include "models/lab/matrix_market/matrix_market.h"
#include "models/profile/column_degrees.h"
#include "models/signature/signature.h"
#include "tests/generator/edge_matrices.h"
#include "tests/matrix_folder.h"
#include "tests/sanitized.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

using namespace specmv;
using namespace specmv::testing;

namespace {

const std::string kFolder = SPECMV_SOURCE_DIR "/tests/generator/suite/";

// Predictions are recorded with all digits; another compiler may round a sum differently.
constexpr double kTolerance = 1e-9;

std::string textOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  REQUIRE_MESSAGE(buffer, path);
  return (*buffer)->getBuffer().str();
}

struct Recorded {
  ValueType type;
  double us;
  std::string plan;
};

// By matrix: a SPEC, or the name of a file without its extension.
std::map<std::string, std::vector<Recorded>> recorded() {
  std::map<std::string, std::vector<Recorded>> out;
  const std::string text = textOf(kFolder + "choices.tsv");
  llvm::SmallVector<llvm::StringRef, 0> lines, cells;
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    cells.clear();
    line.split(cells, '\t');
    REQUIRE(cells.size() == 4);
    double us = 0;
    REQUIRE_FALSE(cells[2].getAsDouble(us));
    out[cells[0].str()].push_back(
        {cells[1] == "f32" ? ValueType::f32 : ValueType::f64, us, cells[3].str()});
  }
  return out;
}

bool isSpec(const std::string &matrix) { return matrix.find(':') != std::string::npos; }

// Returns the profile after the line "matrix SPEC", up to the next such line.
SparsityProfile profileOfSpec(llvm::StringRef signatures, const std::string &spec) {
  const std::string head = "matrix " + spec + "\n";
  const size_t begin = signatures.find(head);
  REQUIRE_MESSAGE(begin != llvm::StringRef::npos, spec);
  const llvm::StringRef rest = signatures.drop_front(begin + head.size());
  return llvm::cantFail(parseProfile(rest.take_front(rest.find("matrix ")), spec));
}

bool isRecording() { return std::getenv("SPECMV_RECORD_CHOICES") != nullptr; }

// The counts of columns on the line "SPEC cols nnz degree columns degree columns ..." of
// columns.txt; nullopt if no plan that depends on them could be chosen, so that none are recorded.
std::optional<ColumnDegrees> columnsOfSpec(const std::string &spec) {
  std::istringstream lines(textOf(kFolder + "columns.txt"));
  for (std::string line, name; std::getline(lines, line);) {
    std::istringstream words(line);
    words >> name;
    if (name != spec)
      continue;
    ColumnDegrees out;
    words >> out.cols >> out.nnz;
    for (DegreeCount each{}; words >> each.degree >> each.columns;)
      out.degrees.push_back(each);
    return out;
  }
  return std::nullopt;
}

Candidate choiceOf(const SparsityProfile &seen, ValueType type, const ColumnDegrees *columns) {
  const Problem problem{type};
  const Fixed none;
  PlanRequest request{seen, problem, h200(), none};
  request.columns = columns;
  std::vector<Offer> ours = llvm::cantFail(offers(request, {}));
  std::erase_if(ours, [](const Offer &offer) {
    return offer.format->library || !whyNotByItself(*offer.format).empty();
  });
  return rank(ours, request).at(0);
}

// Writes the signatures of all SPECs that have choices.
void recordSignatures() {
  std::string text;
  for (const auto &[matrix, choices] : recorded())
    if (isSpec(matrix))
      text += "matrix " + matrix + "\n" +
              serializeProfile(profile(llvm::cantFail(generateFamily(matrix)).view()));
  std::error_code error;
  llvm::raw_fd_ostream(kFolder + "signatures.txt", error) << text;
  REQUIRE_MESSAGE(!error, error.message());
}

void recordColumns(const std::string &spec) {
  const CsrMatrix a = llvm::cantFail(generateFamily(spec));
  const ColumnDegrees counted = columnDegrees(a.view());
  std::ofstream out(kFolder + "columns.txt", std::ios::app);
  out << spec << ' ' << counted.cols << ' ' << counted.nnz;
  for (const DegreeCount &each : counted.degrees)
    out << ' ' << each.degree << ' ' << each.columns;
  out << '\n';
}

// Returns true if the best plan has no certain price without counts of columns.
bool needsColumns(const SparsityProfile &seen, const std::vector<Recorded> &choices) {
  return llvm::any_of(choices, [&](const Recorded &each) {
    const Plan plan = choiceOf(seen, each.type, nullptr).plan;
    const Format &format = *findFormat(plan.format);
    return format.asksColumns && format.asksColumns(seen, plan);
  });
}

// Replaces the choices recorded for the matrix.
void record(const std::string &matrix, const std::vector<Recorded> &choices) {
  auto all = recorded();
  all[matrix] = choices;
  std::error_code error;
  llvm::raw_fd_ostream out(kFolder + "choices.tsv", error);
  REQUIRE_MESSAGE(!error, error.message());
  for (const auto &[name, lines] : all)
    for (const Recorded &line : lines)
      out << llvm::formatv("{0}\t{1}\t{2}\t{3}\n", name, nameOf(line.type),
                           llvm::json::Value(line.us), line.plan);
}

void checkChoices(const std::string &matrix, const SparsityProfile &seen,
                  const std::optional<ColumnDegrees> &columns, std::vector<Recorded> choices) {
  CAPTURE(matrix);
  for (Recorded &was : choices) {
    const Candidate now = choiceOf(seen, was.type, columns ? &*columns : nullptr);
    if (isRecording()) {
      was = {was.type, now.predictedUs, now.plan.text()};
      continue;
    }
    CHECK(now.plan.text() == was.plan);
    CHECK(now.predictedUs == doctest::Approx(was.us).epsilon(kTolerance));
  }
  if (isRecording())
    record(matrix, choices);
}

} // namespace

TEST_CASE("the suite's generated matrices get the choices and times that are recorded") {
  if (std::getenv("SPECMV_RECORD_SIGNATURES") != nullptr)
    recordSignatures();
  const std::string signatures = textOf(kFolder + "signatures.txt");
  int seen = 0;
  for (const auto &[matrix, choices] : recorded())
    if (isSpec(matrix)) {
      const SparsityProfile profiled = profileOfSpec(signatures, matrix);
      if (isRecording() && !columnsOfSpec(matrix) && needsColumns(profiled, choices))
        recordColumns(matrix);
      const std::optional<ColumnDegrees> columns = columnsOfSpec(matrix);
      CHECK((columns || !needsColumns(profiled, choices)));
      checkChoices(matrix, profiled, columns, choices);
      ++seen;
    }
  CHECK(seen == 27);
}

TEST_CASE("the suite's real matrices get the choices and times that are recorded") {
  if (kSanitized) {
    MESSAGE("skipped: profiles of real matrices take too long under sanitizers");
    return;
  }
  int seen = 0;
  for (const auto &[matrix, choices] : recorded()) {
    const std::string path = matrixFolder() + "/" + matrix + ".mtx.gz";
    if (isSpec(matrix) || !std::filesystem::exists(path))
      continue;
    const CsrMatrix a = llvm::cantFail(readMatrixMarket(path));
    checkChoices(matrix, profile(a.view()), columnDegrees(a.view()), choices);
    ++seen;
  }
  if (seen == 0)
    MESSAGE("skipped: no matrices in " << matrixFolder() << " (SPECMV_MATRICES names the folder)");
}
