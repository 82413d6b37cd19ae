// Packs a matrix by the function of a format, on the host or on a device, with the coding of its
// values and in the order of its plan.
#include "generator/coding/encode.h"
#include "generator/format.h"
#include "generator/order/ordered_product.h"
#include "generator/order/permute.h"
#include "generator/order/search.h"
#include "generator/setup/packing.h"
#include "generator/setup/profile.h"
#include "models/base/memory.h"
#include "models/base/stage.h"

namespace specmv {

// Nobody looks at values for a coding that stores any.
template <class Find>
static llvm::Expected<ValueFacts> factsFor(const Coding &coding, const ValueFacts *known,
                                           const Find &find) {
  if (!coding.fits)
    return ValueFacts{};
  llvm::Expected<ValueFacts> facts = known ? *known : find();
  if (facts)
    if (llvm::Error error = checkFacts(coding, *facts))
      return error;
  return facts;
}

// Formats pack plain values for a coding that is made of them.
static Plan packedPlan(const Plan &plan, const Coding &coding) {
  Plan packed = unordered(plan);
  if (coding.codes)
    packed.values.clear();
  return packed;
}

// --- On the host

static llvm::Expected<Layout> packedOnHost(const Format &format, const CsrView &a, const Plan &plan,
                                           const Problem &problem, const ValueFacts &facts) {
  const Coding &coding = codingOf(plan);
  auto out = format.pack(a, packedPlan(plan, coding), problemOfPacking(plan, problem));
  if (out && out->slotsAreShared && coding.fits)
    return fail(Status::notApplicable,
                "{0} adds entries that are repeated, so that not every place has the values that "
                "values={1} needs; use another format, or values=plain",
                format.name, coding.name);
  if (!out)
    return out;
  storeValues(*out, a);
  if (llvm::Error error = storeCoded(*out, plan, facts))
    return error;
  return out;
}

static llvm::Expected<Layout> layoutAsIs(const Format &format, const CsrView &a, const Plan &plan,
                                         const Problem &problem, const ValueFacts *known) {
  const Coding &coding = codingOf(plan);
  auto facts = factsFor(coding, known, [&]() -> llvm::Expected<ValueFacts> {
    return valueFacts(a, diagonalsFor(coding));
  });
  if (!facts)
    return facts.takeError();
  return packedOnHost(format, a, plan, problem, *facts);
}

// Gives the entries of the matrix the slots of the permuted ones.
static Slots slotsBeforeOrder(const Slots &permuted, const std::vector<uint32_t> &placeOf) {
  Slots out(placeOf.size());
  for (size_t e = 0; e < placeOf.size(); ++e)
    out[e] = permuted.empty() ? placeOf[e] : permuted[placeOf[e]];
  return out;
}

static void addOrder(Layout &layout, const Order &order, const Plan &plan, const Problem &problem) {
  addFields(layout, orderFields(plan, problem, std::ssize(order.rowAt)));
  if (layout.isOnHost)
    std::copy(order.rowAt.begin(), order.rowAt.end(), layout.find(kOrderRowAt)->as<int32_t>());
}

static const ValueFacts *factsInOrder(const Plan &plan, const ValueFacts *known) {
  return needsFactsInOrder(codingOf(plan), plan.order) ? nullptr : known;
}

static llvm::Expected<Layout> layoutInOrder(const Format &format, const CsrView &a,
                                            const Plan &plan, const Problem &problem,
                                            const KnownFacts &known) {
  auto order = known.order ? llvm::Expected<Order>(*known.order) : orderOf(a);
  if (!order)
    return order.takeError();
  const PermutedCsr inOrder = permuted(a, *order);
  auto out = layoutAsIs(format, inOrder.view, plan, problem, factsInOrder(plan, known.values));
  if (!out)
    return out;
  out->slots = slotsBeforeOrder(out->slots, inOrder.placeOf);
  addOrder(*out, *order, plan, problem);
  return out;
}

llvm::Expected<Layout> Format::layout(const CsrView &a, const Plan &plan, const Problem &problem,
                                      const KnownFacts &known) const {
  if (llvm::Error error = check(plan, problem))
    return error;
  const Stage stage(std::string("packing ") + name);
  try {
    auto out = plan.order.empty() ? layoutAsIs(*this, a, plan, problem, known.values)
                                  : layoutInOrder(*this, a, plan, problem, known);
    if (out)
      out->vectorElements = a.rows + a.cols;
    return out;
  } catch (const TooLargeForHost &large) {
    return fail(Status::hostMemory,
                "packing '{0}' needs {1} bytes on the host for a {2} x {3} matrix with {4} "
                "entries, but this machine has {5} available; use another plan, or a machine with "
                "more memory",
                plan.text(), large.bytes, a.rows, a.cols, a.nnz, availableMemory());
  }
}

// --- On a device

using LayoutOnDevice = llvm::Expected<std::optional<Layout>>;

static LayoutOnDevice layoutAsIsOn(const Format &format, Workspace &workspace, const Plan &plan,
                                   const Problem &problem, const ValueFacts *known) {
  const Coding &coding = codingOf(plan);
  auto facts =
      factsFor(coding, known, [&] { return valueFactsOn(workspace, diagonalsFor(coding)); });
  if (!facts)
    return facts.takeError();
  const int asked = workspace.csr().entryTask;
  if (asked == kStoreValue)
    workspace.setEntryTask(coding.entryTask);
  auto out =
      format.packing->pack(workspace, packedPlan(plan, coding), problemOfPacking(plan, problem));
  workspace.setEntryTask(asked);
  if (!out || !*out)
    return out;
  if (asked == kStoreValue)
    if (llvm::Error error = storeCodedOn(workspace, **out, plan, *facts))
      return error;
  return out;
}

// Adds the order, whose array the permuted workspace has made.
static llvm::Error addOrderOn(Workspace &workspace, Layout &layout, const Order &order,
                              const Plan &plan, const Problem &problem) {
  Layout more = layoutOnGpu(orderFields(plan, problem, std::ssize(order.rowAt)));
  addOrder(layout, order, plan, problem);
  more.arrays.clear();
  return addArrays(workspace, more);
}

static LayoutOnDevice layoutInOrderOn(const Format &format, Workspace &workspace, const Plan &plan,
                                      const Problem &problem, const KnownFacts &known) {
  auto made = known.order ? llvm::Expected<Order>(*known.order) : orderOn(workspace);
  if (!made)
    return made.takeError();
  auto inOrder = PermutedWorkspace::make(workspace, *made);
  if (!inOrder)
    return inOrder.takeError();
  auto out = layoutAsIsOn(format, **inOrder, plan, problem, factsInOrder(plan, known.values));
  if (!out || !*out)
    return out;
  if (workspace.csr().entryTask == kStoreSlot)
    if (llvm::Error error = (*inOrder)->finishSlots())
      return error;
  if (llvm::Error error = addOrderOn(workspace, **out, *made, plan, problem))
    return error;
  return out;
}

static int64_t vectorElementsOf(const Workspace &workspace) {
  return workspace.csr().rows + workspace.csr().cols;
}

LayoutOnDevice Format::layoutOn(Workspace &workspace, const Plan &plan, const Problem &problem,
                                const KnownFacts &known) const {
  if (llvm::Error error = check(plan, problem))
    return error;
  if (!packing)
    return std::nullopt;
  auto out = plan.order.empty() ? layoutAsIsOn(*this, workspace, plan, problem, known.values)
                                : layoutInOrderOn(*this, workspace, plan, problem, known);
  if (out && *out)
    (*out)->vectorElements = vectorElementsOf(workspace);
  return out;
}

llvm::Expected<Layout> Format::layoutInPlace(Workspace &workspace, const Plan &plan,
                                             const Problem &problem) const {
  auto out = inPlace->pack(workspace, plan, problem);
  if (out)
    out->vectorElements = vectorElementsOf(workspace);
  return out;
}

Layout Format::describedInPlace(const MatrixSize &a, const Plan &plan,
                                const Problem &problem) const {
  Layout out = layoutOnGpu(inPlace->fields(a, plan, problem));
  out.vectorElements = a.rows + a.cols;
  return out;
}

} // namespace specmv
