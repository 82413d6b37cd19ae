// Finds the facts about a matrix, on the GPU if there is one, otherwise on the host.
#include "runtime/plan/session.h"

#include "generator/order/permute.h"
#include "generator/order/search.h"
#include "generator/setup/given_csr.h"
#include "generator/setup/packing.h"
#include "generator/setup/profile.h"
#include "models/csr_check.h"
#include "models/signature/signature.h"
#include "runtime/kernels/objects.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/plan/sources.h"

namespace specmv {

// --- Session blocks ------------------------------------------------------------------------------

// Samples the blocks of a matrix in its set-up, on the GPU if there is one, otherwise on the host.

llvm::Expected<std::optional<RepeatedBlocks>> Session::repeatedBlocks(int64_t r, int64_t c) {
  if (!mayUse(blockSamplesSource(csrIndex(), given().valueType)))
    return std::nullopt;
  const auto sample = [&] {
    auto seen =
        elseOnHost<RepeatedBlocks>(onGpu([&](Workspace &w) { return repeatedBlocksOn(w, r, c); }),
                                   [&](const CsrView &a) -> llvm::Expected<RepeatedBlocks> {
                                     return specmv::repeatedBlocks(a, r, c);
                                   });
    leaveWorkspace();
    return seen;
  };
  return timed(times.profile, [&] { return sampledOnce(blocks_, r, c, sample); });
}

// --- Session -------------------------------------------------------------------------------------

// Finds the facts about a matrix, on the GPU if there is one, otherwise on the host.

std::vector<std::pair<const char *, double>> partsOf(const SetupTimes &t) {
  return {{"machine", t.machine}, {"profile", t.profile}, {"recall", t.recall},
          {"predict", t.predict}, {"choose", t.choose},   {"pack", t.build.pack},
          {"emit", t.build.emit}, {"find", t.build.find}, {"compile", t.build.compile},
          {"load", t.build.load}, {"measure", t.measure}, {"keep", t.keep},
          {"update", t.update}};
}

double SetupTimes::total() const {
  double sum = 0;
  for (const auto &[name, ms] : partsOf(*this))
    sum += ms;
  return sum;
}

static Request requestOn(const Machine &machine, Request request) {
  if ((request.rigor == Rigor::trial || request.rigor == Rigor::online) && !machine.gpu)
    request.rigor = Rigor::estimate;
  return request;
}

Session::Session(SourceMatrix a, Request asked, Machine &on)
    : matrix(std::move(a)), request(requestOn(on, std::move(asked))), machine(on),
      loads_(on.gpu ? on.gpu->loads() : 0) {}

llvm::Expected<CsrView> Session::onHost() const {
  if (llvm::Error error = unlessCancelled(machine))
    return error;
  return matrix.onHost();
}

// Fills 32-bit copies of rowPtr and col.
static llvm::Expected<std::pair<DeviceBuffer, DeviceBuffer>>
narrowedIndices(Machine &machine, const DeviceCsr &csr, const DeviceArrays &arrays) {
  GpuWorkspace w(machine.gpu, csr, arrays, setupKernelLoader(machine), machine.setupStream);
  if (llvm::Error error = narrowOn(w))
    return error;
  return std::pair(w.take(kNarrowRowPtr), w.take(kNarrowCol));
}

llvm::Expected<GpuWorkspace *> Session::workspace(Arrays which) {
  leaveWorkspace();
  const auto narrow = [&](const DeviceCsr &csr, const DeviceArrays &arrays) {
    return narrowedIndices(machine, csr, arrays);
  };
  const bool isInPlace = which == Arrays::inPlace;
  return andThen(isInPlace ? matrix.onGpu(machine.gpu) : matrix.setupArrays(machine.gpu, narrow),
                 [&](const DeviceArrays &arrays) {
                   const DeviceCsr csr = isInPlace ? matrix.deviceCsr() : matrix.setupCsr();
                   const bool isLent = matrix.isLent() && csr.indexType == matrix.given().indexType;
                   return &workspace_.emplace(machine.gpu, csr, arrays, setupKernelLoader(machine),
                                              machine.setupStream, isLent);
                 });
}

llvm::Error Session::finish() {
  if (!machine.gpu)
    return llvm::Error::success();
  llvm::Error error =
      workspace_ ? workspace_->finish() : machine.gpu->synchronize(machine.setupStream);
  leaveWorkspace();
  return error;
}

// Returns the kept result. If there is none, makes it and adds the time to `ms`.
template <class T, class Make>
static llvm::Expected<const T *> once(std::optional<T> &kept, double &ms, const Make &make) {
  if (!kept)
    if (llvm::Error error = timed(ms, [&] { return make().moveInto(kept); }))
      return error;
  return &*kept;
}

// Examines the matrix on the GPU, otherwise on the host.
template <class T, class Here, class There>
static llvm::Expected<T> examined(Session &session, const Here &onGpu, const There &onHost) {
  auto seen = session.elseOnHost<T>(session.onGpu(onGpu), onHost);
  session.leaveWorkspace();
  return seen;
}

llvm::Expected<bool> Session::formsMatrix() {
  return timed(times.profile, [&] {
    return examined<bool>(
        *this,
        [](Workspace &w) -> llvm::Expected<std::optional<bool>> { return specmv::formsMatrix(w); },
        [](const CsrView &a) -> llvm::Expected<bool> { return !llvm::errorToBool(checkCsr(a)); });
  });
}

// A profile costs more, so it is made only to find the reason.
llvm::Error Session::checkMatrix() {
  return andThen(formsMatrix(), [&](bool isMatrix) {
    return isMatrix ? llvm::Error::success() : profiled().takeError();
  });
}

using Hash = llvm::Expected<std::optional<PatternHash>>;

static llvm::Expected<CsrView> validated(const CsrView &a) {
  if (llvm::Error error = checkCsr(a))
    return error;
  return a;
}

// Returns the hash of the pattern, as both devices find it.
static PatternHash hashOf(const CsrView &a) {
  PatternHash hash;
  hash.fingerprint = fingerprintOf(a);
  return hash;
}

llvm::Expected<std::optional<Identified>> Session::identify() {
  auto found = machine.gpu ? onGpu([](Workspace &w) { return fingerprintOn(w); })
                           : Hash(andThen(andThen(onHost(), validated), hashOf));
  leaveWorkspace();
  return andThen(std::move(found), [&](const std::optional<PatternHash> &hash) {
    return hash ? std::optional(
                      Identified{patternId(dimensionsOf(given()), hash->fingerprint), *hash})
                : std::nullopt;
  });
}

llvm::Expected<std::optional<Identified>> Session::identified() {
  return andThen(once(identified_, times.profile, [&] { return identify(); }),
                 [](const std::optional<Identified> *known) { return *known; });
}

static llvm::Expected<Profiled> profiledAs(llvm::Expected<SparsityProfile> seen,
                                           const Stopwatch &watch) {
  if (!seen)
    return seen.takeError();
  std::string signature = signatureId(*seen);
  std::string pattern = patternId({seen->rows, seen->cols, seen->nnz}, seen->fingerprint);
  return Profiled{std::move(*seen), std::move(signature), std::move(pattern), watch.milliseconds()};
}

static llvm::Expected<SparsityProfile> profileOfValid(const CsrView &a) {
  return andThen(validated(a), [](const CsrView &valid) { return profile(valid); });
}

llvm::Expected<Profiled> profileMatrix(const CsrView &a) {
  const Stopwatch watch;
  return profiledAs(profileOfValid(a), watch);
}

static llvm::Expected<std::optional<SparsityProfile>> profileIn(Workspace &workspace, Hash hash) {
  if (!hash)
    return hash.takeError();
  if (!*hash)
    return std::nullopt;
  return profileOn(workspace, **hash);
}

// The first set-up of a program loads the kernels with which later ones look at matrices, and those
// of first products, so that later calls need not wait for an idle GPU.
static void loadKernelsOfLaterCalls(const Session &session) {
  Machine &machine = session.machine;
  constexpr IndexType index = IndexType::i32;
  if (!machine.gpu || machine.gpu->loaded(profileSource(index).digest))
    return;
  const ValueType type = session.given().valueType;
  std::vector<const KernelSource *> sources = {&fingerprintSource(index),
                                               &profileSource(index),
                                               &rowSortSource(index),
                                               &checkSource(index),
                                               &columnsSource(index),
                                               &valuesSource(type),
                                               &valueDiagonalsSource(index, type),
                                               &blockSamplesSource(index, type)};
  std::vector<SharedSource> ofFirst;
  for (const Plan &plan : plansAsItIs(session.matrix.setupCsr(), machine)) {
    const Format &format = *findFormat(plan.format);
    const Problem problem{type};
    ofFirst.push_back(keptSource(format.source, plan, problem));
    ofFirst.push_back(keptSource(format.inPlace->source, plan, problem, index));
  }
  for (const SharedSource &source : ofFirst)
    sources.push_back(source.get());
  loadAhead(sources, machine);
}

llvm::Expected<Profiled> Session::profile() {
  loadKernelsOfLaterCalls(*this);
  const Stopwatch watch;
  const auto onGpu = [&](Workspace &w) {
    return profileIn(w,
                     identified_ && *identified_ ? Hash((*identified_)->hash) : fingerprintOn(w));
  };
  return profiledAs(examined<SparsityProfile>(*this, onGpu, profileOfValid), watch);
}

llvm::Expected<const Profiled *> Session::profiled() {
  auto out = once(profiled_, times.profile, [&] { return profile(); });
  if (out)
    signature = (*out)->signature;
  return out;
}

llvm::Expected<const ValueFacts *> Session::valueFacts() {
  if (given().nnz > 0 && !given().val)
    return fail(Status::badInput,
                "the matrix has {0} entries and no values; give it values to look at", given().nnz);
  std::optional<int64_t> diagonals;
  if (profiled_)
    diagonals = profiled_->profile.occupiedDiagonals;
  return once(valueFacts_, times.profile, [&] {
    return examined<ValueFacts>(
        *this,
        [&](Workspace &w) -> llvm::Expected<std::optional<ValueFacts>> {
          return valueFactsOn(w, diagonals);
        },
        [&](const CsrView &a) -> llvm::Expected<ValueFacts> {
          return specmv::valueFacts(a, diagonals);
        });
  });
}

llvm::Expected<const ColumnDegrees *> Session::columnDegrees() {
  if (!mayUse(columnsSource(csrIndex())))
    return nullptr;
  return once(columns_, times.profile, [&] {
    return examined<ColumnDegrees>(
        *this, columnDegreesOn,
        [](const CsrView &a) -> llvm::Expected<ColumnDegrees> { return specmv::columnDegrees(a); });
  });
}

llvm::Expected<const Order *> Session::order() {
  return once(order_, times.profile, [&] {
    return examined<Order>(
        *this, [](Workspace &w) -> llvm::Expected<std::optional<Order>> { return orderOn(w); },
        orderOf);
  });
}

static llvm::Expected<std::optional<SparsityProfile>> profileOfPermuted(Workspace &w,
                                                                        const Order &order) {
  w.setEntryTask(kStoreNothing); // moves no values
  return andThen(PermutedWorkspace::make(w, order),
                 [](const std::unique_ptr<PermutedWorkspace> &inOrder) {
                   return profileIn(*inOrder, fingerprintOn(*inOrder));
                 });
}

llvm::Expected<const SparsityProfile *> Session::profileInOrder() {
  const bool isNamed = !request.orderOfAll().empty();
  if (!isNamed && (!machine.gpu || !mayUse(searchSource(csrIndex())) ||
                   !mayUse(permuteSource(csrIndex(), given().valueType))))
    return nullptr;
  auto made = order();
  if (!made)
    return made.takeError();
  if (!isNamed && !bringsTogether(**made))
    return nullptr;
  return once(profileInOrder_, times.profile, [&] {
    return examined<SparsityProfile>(
        *this, [&](Workspace &w) { return profileOfPermuted(w, *order_); },
        [&](const CsrView &a) { return specmv::profile(permuted(a, *order_).view); });
  });
}

void Session::know(Profiled seen) {
  identified_ = Identified{seen.pattern, {}};
  profiled_ = std::move(seen);
}

llvm::Expected<const Ranked *> Session::ranked() {
  if (ranked_)
    return &*ranked_;
  return andThen(profiled(), [&](const Profiled *seen) {
    return andThen(factsToCode(), [&](const ValueFacts *facts) {
      const double before = times.profile;
      auto out = once(ranked_, times.predict, [&] {
        return rankPlans(request, seen->profile, machine, Look::untilDecided,
                         {.values = facts,
                          .blocks = [&](int64_t r, int64_t c) { return repeatedBlocks(r, c); },
                          .columns = [&] { return columnDegrees(); },
                          .inOrder = [&] { return profileInOrder(); },
                          .readsReasons = request.namesFormats()});
      });
      times.predict -= times.profile - before; // columns that were counted meanwhile
      return out;
    });
  });
}

// A plan must not wait for the compiler to find out that another one is better, and the host must
// not look at what a GPU could look at.
bool Session::mayUse(const KernelSource &kernels) const {
  return !machine.gpu || (machine.kernels == KernelKind::specialized && !machine.onlyPacks) ||
         isReady(kernels, machine);
}

bool Session::looksAtValues() const {
  const CsrView &a = given();
  const SetupSize size{a.rows, a.cols, a.nnz, static_cast<int64_t>(sizeOf(a.valueType))};
  if (!a.val || !mayPayToCode(size, request, machine) || !mayUse(valuesSource(a.valueType)))
    return false;
  const bool hasMany = profiled_ && profiled_->profile.occupiedDiagonals > kMostComparedDiagonals;
  return hasMany || mayUse(valueDiagonalsSource(csrIndex(), a.valueType));
}

llvm::Expected<const ValueFacts *> Session::factsToCode() {
  return looksAtValues() ? valueFacts() : nullptr;
}

llvm::Expected<ValueFacts> valueFactsOf(const SourceMatrix &a, Machine &machine) {
  Session session(a, {}, machine);
  return andThen(session.valueFacts(), [](const ValueFacts *facts) { return *facts; });
}

llvm::Expected<Profiled> profileMatrix(const SourceMatrix &a, Machine &machine) {
  Session session(a, {}, machine);
  return andThen(session.profiled(),
                 [&](const Profiled *) { return std::move(*session.takeProfiled()); });
}

} // namespace specmv
