// Packs new values with the arrays of a matrix that the caller lends. The other arrays of the
// layout come out as they were, and are dropped.
#include "runtime/api/recoded.h"

#include "generator/coding/coding.h"
#include "runtime/api/kept_order.h"
#include "runtime/cuda/memory_place.h"
#include "runtime/plan/session.h"

namespace specmv {

llvm::Expected<MatrixAnew> withValues(const SourceMatrix &lent, const void *val, Machine &machine) {
  CsrView view = lent.given();
  view.val = val;
  const size_t bytes = static_cast<size_t>(view.nnz) * sizeOf(view.valueType);
  const MemoryPlace place = placeOf(val);
  if (llvm::Error error = wantOnSameGpu(*machine.gpu, place, "val"))
    return error;
  MatrixAnew out{{}, {}, SourceMatrix(view)};
  if (place.isOnGpu && !lent.isOnGpu()) {
    out.onHost = ZeroedArray<std::byte>(bytes);
    if (llvm::Error error = inTurn(
            [&] {
              return machine.gpu->download(out.onHost.data(), reinterpret_cast<DevicePointer>(val),
                                           bytes, machine.setupStream);
            },
            [&] { return machine.gpu->synchronize(machine.setupStream); }))
      return error;
    view.val = out.onHost.data();
  } else if (!place.isOnGpu && lent.isOnGpu()) {
    if (llvm::Error error = machine.gpu->uploaded(val, bytes).moveInto(out.onGpu))
      return error;
    view.val = reinterpret_cast<const void *>(out.onGpu.pointer());
  }
  out.matrix = lent.isOnGpu() ? SourceMatrix(view, machine.gpu) : SourceMatrix(view);
  return out;
}

static Request requestOf(const FusedBase &base) {
  Request request;
  request.problem = base.problem;
  return request;
}

// The plan's other arrays stay, and only those of the same structure go with them. A table of
// blocks may be smaller.
static llvm::Error checkSizes(const Layout &packed, const Layout &kept, const Plan &plan) {
  const Coding &coding = codingOf(plan);
  for (const LayoutArray &array : packed.arrays) {
    const LayoutArray *before = kept.find(array.name);
    if (before && coding.mostBlocks > 0 && array.name == coding.table) {
      if (array.size() > before->size())
        return fail(Status::notApplicable,
                    "the plan's table of different blocks has {0} bytes, but the new values need "
                    "{1}",
                    before->size(), array.size());
    } else if (before && before->size() != array.size())
      return fail(
          Status::badCall,
          "the plan's array '{0}' has {1} bytes, but the matrix now needs {2}: its rowPtr or "
          "col have changed, which csrOutlivesPlan promised not to happen; make a new plan",
          array.name, before->size(), array.size());
  }
  return llvm::Error::success();
}

static llvm::Expected<Layout> packedIn(Session &session, const Plan &plan,
                                       const PlanProducts &own) {
  const Problem &problem = session.request.problem;
  auto order = keptOrder(plan, *own.gpu, own.base->rows);
  if (!order)
    return order.takeError();
  const auto onGpu = [&](Workspace &w) {
    return findFormat(plan.format)->layoutOn(w, plan, problem, {.order = pointerTo(*order)});
  };
  auto packed = session.elseOnHost<Layout>(session.onGpu(onGpu), [&](const CsrView &a) {
    return pack(a, plan, problem, pointerTo(*order));
  });
  if (packed)
    if (llvm::Error error = checkSizes(*packed, own.base->layout, plan))
      return error;
  return packed;
}

// Takes the arrays and numbers of values from a layout that was packed.
static Recoded takenValues(Layout packed, const Plan &plan, Session &session) {
  Recoded out;
  out.layout.isOnHost = packed.isOnHost;
  for (const Field &field :
       codingOf(plan).fields(plan, elementOf(session.request.problem.type), 0)) {
    const std::string name = field.argument.layoutName();
    if (LayoutArray *array = packed.find(name)) {
      out.layout.arrays.push_back(std::move(*array));
      if (!packed.isOnHost)
        out.onGpu.emplace_back(name, session.take(name));
    } else {
      out.layout.integers.emplace_back(name, packed.integer(name));
    }
  }
  return out;
}

llvm::Expected<Recoded> recodedByPacking(const PlanProducts &own, const SourceMatrix &a,
                                         Machine &machine) {
  const Plan &plan = own.base->plan;
  Session session(a, requestOf(*own.base), machine);
  auto layout = packedIn(session, plan, own);
  if (!layout) {
    auto [status, sentence] = describe(layout.takeError());
    return status == Status::notApplicable ? llvm::Expected<Recoded>(Recoded{.whyNot = sentence})
                                           : failWith(status, sentence);
  }
  Recoded out = takenValues(std::move(*layout), plan, session);
  if (llvm::Error error = session.finish())
    return error;
  return out;
}

llvm::Expected<PlainValues> plainByPacking(const PlanProducts &own, const SourceMatrix &a,
                                           Machine &machine) {
  Plan plan = own.base->plan;
  plan.values.clear();
  Session session(a, requestOf(*own.base), machine);
  auto layout = packedIn(session, plan, own);
  if (!layout)
    return layout.takeError();
  PlainValues out{std::move(*layout), {}};
  if (out.layout.isOnHost) {
    const LayoutArray &val = *out.layout.find(out.layout.valueArray);
    if (llvm::Error error =
            machine.gpu->uploaded(val.bytes.data(), val.bytes.size()).moveInto(out.array))
      return error;
  } else {
    out.array = session.take(out.layout.valueArray);
  }
  if (llvm::Error error = session.finish())
    return error;
  return out;
}

} // namespace specmv
