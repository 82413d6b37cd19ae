// Launches the kernels of templates/setup/search.cuh.
#include "generator/order/search.h"

#include "generator/setup/packing.h"
#include "generator/setup/row_order.h"
#include "generator/setup/workspace.h"
#include "generator/sources.h"
#include "models/base/error.h"

#include <array>

namespace specmv {

constexpr const char *kSearchRoot = "searchRoot", *kSearchQueue = "searchQueue",
                     *kSearchClaims = "searchClaims", *kSearchState = "searchState",
                     *kSearchCounts = "searchCounts", *kSearchRest = "searchRest";
using SearchState = std::array<int32_t, kSearchWords>;

static int64_t rowBlocks(const DeviceCsr &csr) { return ceilDiv(csr.rows, int64_t{kSetupBlock}); }

static Field searched(const char *name, const char *stored) {
  return filled(name, ElementType::i32, stored);
}

static SetupLaunch rootSearch(const DeviceCsr &csr) {
  return {setupKernel("searchRoot", "SearchRootArgs", {elementOf(csr.indexType)},
                      {csrRowPtrOf(csr), filled("best", ElementType::u64, kSearchRoot),
                       wideNumber("rows", csr.rows)}),
          std::min(kFewBlocks, rowBlocks(csr))};
}

static std::vector<SetupLaunch> searchBegin(const DeviceCsr &csr, bool isSecond) {
  return {{setupKernel("searchBegin", "SearchBeginArgs", {},
                       {array("best", ElementType::u64, 1, kSearchRoot),
                        searched("queue", kSearchQueue), searched("state", kSearchState),
                        narrowNumber("isSecond", isSecond)}),
           1},
          {setupKernel("searchClear", "SearchClearArgs", {},
                       {array("queue", ElementType::i32, csr.rows, kSearchQueue),
                        searched("claims", kSearchClaims), wideNumber("rows", csr.rows)}),
           rowBlocks(csr)}};
}

// Blocks that can take a front of all rows; none if that is left to one block.
static int64_t searchBlocks(const DeviceCsr &csr) {
  return csr.rows <= kFewAtFront ? 0 : std::min(int64_t{kSearchBlocks}, rowBlocks(csr));
}

// The launches of which one block goes through many levels, or all blocks through one.
static std::vector<SetupLaunch> searchRound(const DeviceCsr &csr, bool isSecond) {
  std::vector<SetupLaunch> out;
  for (const auto &[function, threads, blocks] :
       {std::tuple{"searchFew", int{kSearchThreads}, int64_t{1}},
        std::tuple{"searchClaim", int{kSetupBlock}, searchBlocks(csr)},
        std::tuple{"searchCount", int{kSetupBlock}, searchBlocks(csr)},
        std::tuple{"searchAppend", int{kSetupBlock}, searchBlocks(csr)}})
    out.push_back(
        {setupKernel(function, "SearchArgs", {elementOf(csr.indexType)},
                     {csrRowPtrOf(csr), csrColOf(csr), searched("queue", kSearchQueue),
                      searched("claims", kSearchClaims), searched("state", kSearchState),
                      filled("counts", ElementType::i64, kSearchCounts),
                      narrowNumber("rows", csr.rows), narrowNumber("visitsAll", isSecond)},
                     threads),
         blocks});
  return out;
}

static SetupLaunch restLaunch(const DeviceCsr &csr, const char *function, int64_t met) {
  return {setupKernel(function, "RestArgs", {},
                      {array("claims", ElementType::i32, csr.rows, kSearchClaims),
                       searched("places", kSearchRest), searched("queue", kSearchQueue),
                       wideNumber("rows", csr.rows), narrowNumber("met", met)}),
          rowBlocks(csr)};
}

static KernelSource emitSearch(IndexType index) {
  const DeviceCsr csr{{}, index};
  std::vector<SetupKernel> kernels = kernelsOf(searchRound(csr, false));
  for (const std::vector<SetupLaunch> &launches :
       {std::vector{rootSearch(csr)}, searchBegin(csr, false),
        std::vector{restLaunch(csr, "restCounts", 0), restLaunch(csr, "restAppend", 0)}})
    for (const SetupLaunch &launch : launches)
      kernels.push_back(launch.kernel);
  kernels.push_back(longestRowKernel(csr));
  for (SetupKernel &kernel : scanKernels(kSearchRest, ElementType::i32))
    kernels.push_back(std::move(kernel));
  return emitSetup("a breadth-first search", {"setup/search.cuh", kLongestHeader, kScanHeader},
                   kernels);
}

const KernelSource &searchSource(IndexType index) { return emittedOnce<emitSearch>(index); }

// Up to so many rounds are launched before the host looks whether the search is over; at first one.
// Rounds behind the end do nothing and take a few microseconds each, about as long as looking.
constexpr int kRoundsPerLook = 8;

// Each round ends at least one level, and the last one finds out that there is none. More are only
// asked for if the kernels do not work.
static int64_t mostRounds(const DeviceCsr &csr) {
  return std::min(csr.rows, int64_t{kMostLevels}) + 1;
}

static llvm::Expected<SearchState> searchOn(Workspace &w, bool isSecond) {
  const KernelSource &source = searchSource(w.csr().indexType);
  if (llvm::Error error = launchAll(w, source, searchBegin(w.csr(), isSecond)))
    return error;
  const std::vector<SetupLaunch> round = searchRound(w.csr(), isSecond);
  SearchState state{};
  const int64_t most = mostRounds(w.csr());
  int64_t done = 0;
  for (int rounds = 1; done < most; rounds = std::min(2 * rounds, kRoundsPerLook)) {
    done += rounds;
    for (int i = 0; i < rounds; ++i)
      if (llvm::Error error = launchAll(w, source, round))
        return error;
    if (llvm::Error error = w.read(kSearchState, 0, kSearchWords, state.data()))
      return error;
    if (state[kSearchIsOver] != 0)
      return state;
  }
  return fail(Status::internal,
              "the search for an order of {0} rows has not ended after {1} rounds of its kernels, "
              "which do at least one level each, with {2} of the rows met; use order=none",
              w.csr().rows, done, state[kFrontEnd]);
}

static llvm::Error appendRest(Workspace &w, int64_t met) {
  const DeviceCsr &csr = w.csr();
  if (met == csr.rows)
    return llvm::Error::success();
  const KernelSource &source = searchSource(csr.indexType);
  llvm::Error error = inTurn(
      [&] { return w.add(kSearchRest, ElementType::i32, csr.rows + 1, Contents::undefined); },
      [&] { return launchAll(w, source, {restLaunch(csr, "restCounts", met)}); },
      [&] { return placeCounts(w, source, kSearchRest, ElementType::i32, csr.rows + 1); },
      [&] { return launchAll(w, source, {restLaunch(csr, "restAppend", met)}); });
  w.drop(kSearchRest);
  return error;
}

static llvm::Error addSearch(Workspace &w) {
  const int64_t rows = w.csr().rows;
  return inTurn(
      [&] { return w.addScratch(kSearchRoot, ElementType::u64, 1, Contents::zeros); },
      [&] { return w.addScratch(kSearchState, ElementType::i32, kSearchWords, Contents::zeros); },
      [&] {
        return w.addScratch(kSearchCounts, ElementType::i64, kSearchBlocks, Contents::undefined);
      },
      [&] { return w.add(kSearchQueue, ElementType::i32, rows, Contents::undefined); },
      [&] { return w.add(kSearchClaims, ElementType::i32, rows, Contents::undefined); });
}

static llvm::Expected<Order> searchedOrder(Workspace &w) {
  const DeviceCsr &csr = w.csr();
  Order out{.rowAt = std::vector<int32_t>(static_cast<size_t>(csr.rows))};
  SearchState last{};
  if (llvm::Error error =
          inTurn([&] { return addSearch(w); },
                 [&] { return launchAll(w, searchSource(csr.indexType), {rootSearch(csr)}); },
                 [&] { return searchOn(w, false).takeError(); },
                 [&] { return searchOn(w, true).moveInto(last); },
                 [&] { return appendRest(w, last[kFrontEnd]); },
                 [&] { return w.read(kSearchQueue, 0, csr.rows, out.rowAt.data()); }))
    return error;
  out.levels = last[kLevelsDone];
  return out;
}

llvm::Expected<Order> orderOn(Workspace &w) {
  const DeviceCsr &csr = w.csr();
  if (llvm::Error error = checkOrdered(csr, 0))
    return error;
  if (csr.rows == 0)
    return Order();
  auto longest = longestRowOn(w, searchSource(csr.indexType));
  if (!longest)
    return longest.takeError();
  if (llvm::Error error = checkOrdered(csr, *longest))
    return error;
  auto out = searchedOrder(w);
  for (const char *name : {kSearchRoot, kSearchState, kSearchCounts, kSearchQueue, kSearchClaims})
    w.drop(name);
  return out;
}

} // namespace specmv
