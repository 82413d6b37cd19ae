// Reads the arguments of pregen: profiles of matrices, and signatures.
#include "runtime/cli/pregen/subject.h"

#include "generator/coding/coding.h"
#include "generator/order/order.h"
#include "generator/shared/several.h"
#include "models/signature/signature.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/convert/to_csr.h"
#include "runtime/plan/candidates.h"
#include "runtime/store/entry_file.h"
#include "runtime/store/read_file.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

namespace specmv::cli {

static bool isSignature(const std::vector<char> &bytes) {
  return viewOf(bytes).starts_with("specmv-signature ");
}

FurtherFacts Described::facts() const {
  if (!columns)
    return {};
  return {.columns = [this]() -> llvm::Expected<const ColumnDegrees *> { return &*columns; },
          .inOrder = [this]() -> llvm::Expected<const SparsityProfile *> { return &*inOrder; }};
}

static llvm::Expected<Described> describedMatrix(const CsrView &a, const Options &options) {
  auto profiled = profileMatrix(a);
  if (!profiled)
    return profiled.takeError();
  Described out{std::move(profiled->profile), columnDegrees(a)};
  if (options.order.empty())
    return out;
  Request named;
  named.order = options.order;
  if (llvm::Error error = orderOnce(out.inOrder, a, named).takeError())
    return error;
  return out;
}

static llvm::Expected<CsrMatrix> transposeOf(const CsrMatrix &a) {
  auto transposed = toCsr({.rows = a.rows,
                           .cols = a.cols,
                           .nnz = a.nnz(),
                           .offsets = a.rowPtr.data(),
                           .colIndices = a.col.data(),
                           .values = a.val.data()},
                          /*isTransposed=*/true, /*wantsOrder=*/false);
  if (!transposed)
    return transposed.takeError();
  const CsrView &view = transposed->csr->view; // its indices have 32 bits, as those of `a`
  const auto *rowPtr = static_cast<const int32_t *>(view.rowPtr);
  const auto *col = static_cast<const int32_t *>(view.col);
  const auto *val = static_cast<const double *>(view.val);
  return CsrMatrix{.name = a.name,
                   .rows = view.rows,
                   .cols = view.cols,
                   .rowPtr = {rowPtr, rowPtr + view.rows + 1},
                   .col = {col, col + view.nnz},
                   .val = {val, val + view.nnz}};
}

static llvm::Error checkValuesOf(const CsrView &a, const Coding &coding, const std::string &order) {
  if (!needsFactsInOrder(coding, order))
    return checkFacts(coding, valueFacts(a));
  return andThen(orderOf(a), [&](const Order &found) {
    return checkFacts(coding, valueFacts(permuted(a, found).view));
  });
}

// Refuses values that a plan of --set values= could not store.
static llvm::Error checkValuesOf(const CsrMatrix &matrix, const Options &options) {
  const Coding *coding = findCoding(options.values);
  if (!coding || !coding->whyNot)
    return llvm::Error::success();
  for (const ValueType type : options.types) {
    const TypedMatrix typed(matrix, type);
    if (llvm::Error error = checkValuesOf(typed.view, *coding, options.order))
      return prefixedBy(matrix.name, std::move(error));
  }
  return llvm::Error::success();
}

llvm::Expected<Described> describeNamed(const std::string &argument, const Options &options) {
  // The limit of readEntryFile() is larger than any signature.
  if (const auto bytes = readEntryFile(argument); bytes && isSignature(*bytes)) {
    if (options.transpose)
      return fail(Status::badCall,
                  "{0} is a signature, which does not describe the transpose; leave out "
                  "--transpose, or pass the matrix",
                  argument);
    return andThen(parseProfile(viewOf(*bytes), argument),
                   [](SparsityProfile profile) { return Described{std::move(profile)}; });
  }
  auto matrix = loadMatrix(argument);
  if (matrix && options.transpose)
    matrix = transposeOf(*matrix);
  if (!matrix)
    return matrix.takeError();
  if (llvm::Error error = checkValuesOf(*matrix, options))
    return error;
  return describedMatrix(matrix->view(), options);
}

// One kernel is used for a range of counts: 5 and 8 vectors have the same kernels.
static std::set<int> passesOf(const Options &options) {
  std::set<int> out;
  for (const int64_t vectors : options.vectors)
    out.insert(vectorsOfPass(vectors));
  return out;
}

static Request withOptions(Request request, const std::vector<KernelOption> &options) {
  for (const KernelOption &option : options)
    request.problem.*option.isSet = true;
  // Options without effect are cleared, since the C API asks for the kernels without them.
  request.problem.vectorsAreDouble &= request.problem.type == ValueType::f32;
  request.problem.resultIsApart &= request.problem.betaCanBeNonZero;
  return request;
}

static void addWithOptions(const Options &options, std::vector<Request> &requests) {
  const std::vector<Request> without = requests;
  for (const std::vector<KernelOption> &with : options.with)
    for (const Request &request : without)
      requests.push_back(withOptions(request, with));
}

std::vector<Request> requestsOf(const Options &options) {
  std::vector<Request> requests;
  const std::set<int> passes = passesOf(options);
  for (ValueType type : options.types)
    for (const int vectors : passes) {
      requests.push_back(requestOf(options, type));
      requests.back().problem.vectors = vectors;
      requests.back().problem.betaCanBeNonZero = true;
      if (!options.betaIsZero)
        continue;
      requests.push_back(requests.back());
      requests.back().problem.betaCanBeNonZero = false;
    }
  addWithOptions(options, requests);
  return requests;
}

llvm::Error forAllSubjects(const Options &options,
                           const std::function<llvm::Error(const Subject &)> &use) {
  const std::vector<std::string> &names = options.arguments;
  if (llvm::Error error = checkAsked(options.formats, options.fixed))
    return error;
  for (size_t i = 0; i < names.size(); ++i) {
    note(llvm::formatv("[{0}/{1}] {2}", i + 1, names.size(), names[i]));
    auto matrix = describeNamed(names[i], options);
    if (!matrix)
      return matrix.takeError();
    if (llvm::Error error = use({names[i], std::move(*matrix), requestsOf(options)}))
      return error;
  }
  return llvm::Error::success();
}

std::vector<std::string> architecturesOf(const Options &options, const Machine &machine) {
  if (options.machine.arch.empty())
    return {machine.arch};
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::StringRef(options.machine.arch).split(parts, ',');
  return {parts.begin(), parts.end()};
}

llvm::Expected<Machine> machineToPlanFor(const Options &options) {
  MachineRequest request = options.machine;
  request.target = Target::host;
  request.arch.clear(); // one model predicts for all architectures
  return machineOf(request, options.verb);
}

} // namespace specmv::cli
