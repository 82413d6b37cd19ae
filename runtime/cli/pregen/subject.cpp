// Reads the arguments of pregen: profiles of matrices, and signatures.
#include "runtime/cli/pregen/subject.h"

#include "generator/coding/coding.h"
#include "generator/order/order.h"
#include "generator/shared/several.h"
#include "models/signature/signature.h"
#include "runtime/cli/report.h"
#include "runtime/convert/to_csr.h"
#include "runtime/kernels/compile_beside.h"
#include "runtime/store/entry_file.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

namespace specmv::cli {

static bool isSignature(const std::vector<char> &bytes) {
  return viewOf(bytes).starts_with("specmv-signature ");
}

Typed::Typed(const Described &of, ValueType type) : profile_(of.profile) {
  if (of.matrix)
    a_.emplace(*of.matrix, type);
}

FurtherFacts Typed::facts(const Request &request, const Machine &machine) {
  if (!a_)
    return {};
  const CsrView &a = a_->view;
  const bool isLookedAt = mayPayToCode(sizeOf(profile_, a.valueType), request, machine);
  if (isLookedAt && !values_)
    values_ = valueFacts(a, profile_.occupiedDiagonals);
  return {.values = isLookedAt ? &*values_ : nullptr,
          .blocks = samplesOf(blocks_, a),
          .columns = [this, &a] { return countOnce(columns_, a); },
          .inOrder = [this, &a, &request] { return orderOnce(inOrder_, a, request); }};
}

std::function<bool(const Plan &)> Typed::fits(const Problem &problem) {
  if (!a_)
    return {};
  return [this, &problem](const Plan &plan) {
    const auto [at, isNew] = fits_.try_emplace(problemText(problem) + " " + plan.text(), false);
    if (isNew)
      at->second = !llvm::errorToBool(pack(a_->view, plan, problem).takeError());
    return at->second;
  };
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
  const Coding *coding = findCoding(options.values.value_or(""));
  if (!coding || !coding->whyNot)
    return llvm::Error::success();
  for (const ValueType type : options.types) {
    const TypedMatrix typed(matrix, type);
    if (llvm::Error error = checkValuesOf(typed.view, *coding, options.order.value_or("")))
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
  auto profiled = profileMatrix(matrix->view());
  if (!profiled)
    return profiled.takeError();
  return Described{std::move(profiled->profile), std::move(*matrix)};
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
      requests.back().plan.reset(); // its kernels need no matrix
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

static llvm::Error forAllRequests(const std::string &name, const Described &matrix,
                                  const Options &options,
                                  const std::function<llvm::Error(const Subject &)> &use) {
  std::map<ValueType, Typed> byType;
  for (const Request &request : requestsOf(options)) {
    Typed &typed =
        byType.try_emplace(request.problem.type, matrix, request.problem.type).first->second;
    if (llvm::Error error = use({name, matrix, typed, request}))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error forAllSubjects(const Options &options,
                           const std::function<llvm::Error(const Subject &)> &use) {
  const std::vector<std::string> &names = options.arguments;
  for (size_t i = 0; i < names.size(); ++i) {
    note(llvm::formatv("[{0}/{1}] {2}", i + 1, names.size(), names[i]));
    auto matrix = describeNamed(names[i], options);
    if (!matrix)
      return matrix.takeError();
    if (llvm::Error error = forAllRequests(names[i], *matrix, options, use))
      return error;
  }
  return llvm::Error::success();
}

static std::vector<std::string> namedArchitectures(const Options &options) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::StringRef(options.machine.arch).split(parts, ',');
  return {parts.begin(), parts.end()};
}

static llvm::Expected<Machine> machineToPlanFor(const Options &options, const std::string &arch) {
  MachineRequest request = options.machine;
  request.arch = arch;
  request.onlyPacks = true; // as programs that use packs ask
  const bool choosesPlans = !options.arguments.empty();
  if (!request.gpuModel.empty() || (!choosesPlans && !arch.empty()))
    request.target = Target::host; // this machine's GPU does not matter
  auto machine = machineOf(request, options.verb);
  if (!machine)
    return machine;
  Machine elsewhere = withoutGpu(std::move(*machine));
  elsewhere.whyHost = "packs are made without one";
  return elsewhere;
}

llvm::Expected<std::vector<Machine>> machinesToPlanFor(const Options &options) {
  std::vector<Machine> out;
  for (const std::string &arch : namedArchitectures(options)) { // one, "", without --arch
    auto machine = machineToPlanFor(options, arch);
    if (!machine)
      return machine.takeError();
    out.push_back(std::move(*machine));
  }
  return out;
}

} // namespace specmv::cli
