// Loads the arrays and kernels of a plan on a GPU and runs its steps.
#include "runtime/cuda/product.h"

#include "generator/shared/several.h"
#include "models/base/error.h"
#include "runtime/cuda/l2_turns.h"
#include "runtime/cuda/overlap.h"
#include "runtime/cuda/product_marks.h"
#include "runtime/cuda/streams.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace specmv {

// --- Product arguments ---------------------------------------------------------------------------

// Finds the value of each parameter of a product's kernels at a launch.

uint64_t bitsOf(double value, ValueType type) {
  uint64_t bits = 0;
  const auto narrow = static_cast<float>(value);
  type == ValueType::f32 ? std::memcpy(&bits, &narrow, sizeof narrow)
                         : std::memcpy(&bits, &value, sizeof value);
  return bits;
}

// Returns memory of the operands or of the slot.
const void *GpuProduct::argumentOf(const Slot &slot, const Operands &o) {
  switch (slot.binding) {
  case Binding::x:
    return &o.x;
  case Binding::y:
    return &o.y;
  case Binding::added:
    return &o.added;
  case Binding::alpha:
    return &o.alphaBits;
  case Binding::beta:
    return &o.betaBits;
  case Binding::rowsOfX:
    return &o.rowsOfX;
  case Binding::cols:
    return &o.cols;
  case Binding::strideX:
    return &o.several.strideX;
  case Binding::stepX:
    return &o.several.stepX;
  case Binding::strideY:
    return &o.several.strideY;
  case Binding::stepY:
    return &o.several.stepY;
  case Binding::count:
    return &o.several.count; // little-endian: its lower half is the kernel's int
  case Binding::vectorIn:
  case Binding::vectorOut:
    return &o.step->vectors[slot.bits];
  case Binding::scalar:
  case Binding::scalarAt:
    return &o.step->scalars[slot.bits];
  case Binding::sum:
    return &o.step->sums[slot.bits];
  case Binding::l2Policy:
    return &o.l2Policy;
  case Binding::array:
  case Binding::scratch:
  case Binding::integer:
    break;
  }
  return &slot.bits;
}

// --- Product marks -------------------------------------------------------------------------------

// Records an event behind a plan's work on a stream, and waits for these events.

// A program with more streams than this probably keeps making new ones, so events of old streams
// are reused.
constexpr size_t kManyStreams = 8;

static CUevent handleOf(const GpuHandle<void *> &event) {
  return static_cast<CUevent>(event.get());
}

void ProductMarks::prepare(const GpuDevice &gpu) {
  if (auto event = makeEvent(gpu, EventKind::ordering))
    marks_.push_back({std::nullopt, std::move(*event)});
  else
    llvm::consumeError(event.takeError());
}

llvm::Expected<CUevent> ProductMarks::eventOf(const GpuDevice &gpu, StreamHandle stream) {
  const StreamIdentity key = identityOf(stream);
  auto found = llvm::find_if(marks_, [&](const Mark &mark) { return mark.stream == key; });
  if (found == marks_.end())
    found = llvm::find_if(marks_, [](const Mark &mark) { return !mark.stream; });
  if (found == marks_.end() && marks_.size() >= kManyStreams)
    found = llvm::find_if(marks_, [](const Mark &mark) {
      return driver().cuEventQuery(handleOf(mark.event)) == CUDA_SUCCESS;
    });
  if (found == marks_.end()) {
    auto event = makeEvent(gpu, EventKind::ordering);
    if (!event)
      return event.takeError();
    marks_.push_back({key, std::move(*event)});
    return handleOf(marks_.back().event);
  }
  found->stream = key;
  return handleOf(found->event);
}

llvm::Error ProductMarks::mark(const GpuDevice &gpu, StreamHandle stream) {
  const GpuDevice::Current current(gpu); // for all of these calls
  if (llvm::Error error = current.check())
    return error;
  if (isCaptured(driver(), stream)) {
    areInGraphs_ = true;
    return llvm::Error::success();
  }
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto event = eventOf(gpu, stream);
    if (event && driver().cuEventRecord(*event, static_cast<CUstream>(stream)) == CUDA_SUCCESS)
      return llvm::Error::success();
    if (!event)
      llvm::consumeError(event.takeError());
  } catch (const std::bad_alloc &) { // then there is no event
  }
  return gpu.synchronize(stream);
}

// The work of a context that is gone has ended.
template <class Body> bool ProductMarks::holdsForMarks(const Body &body) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return llvm::all_of(marks_, [&](const Mark &mark) {
    if (!mark.stream)
      return true;
    const GpuDevice::Current current(*mark.event.destroyer().gpu);
    return !current.isCurrent() || body(handleOf(mark.event));
  });
}

void ProductMarks::wait() noexcept {
  holdsForMarks([](CUevent event) {
    driver().cuEventSynchronize(event);
    return true;
  });
}

bool ProductMarks::areOver() noexcept {
  return holdsForMarks(
      [](CUevent event) { return driver().cuEventQuery(event) != CUDA_ERROR_NOT_READY; });
}

// --- Several vectors -----------------------------------------------------------------------------

// Runs products with several vectors on a GPU, in passes of the number of vectors that the kernel
// multiplies. X is copied to rows unless the kernel can read it in place.

llvm::Error GpuProduct::addSeveral(const Steps &steps, const Layout &layout, const Problem &problem,
                                   int64_t cols, StreamHandle stream) {
  auto toRows = bind(rowsOfXLaunch(problem, cols), layout, stream);
  if (!toRows)
    return toRows.takeError();
  toRows_ = std::get<Kernel>(std::move(*toRows));
  vectors_ = problem.vectors;
  for (const Step &step : steps)
    if (llvm::Error error = add(step, layout, stream, several_))
      return error;
  cols_ = cols;
  alignment_ = alignmentOfRows(problem);
  return llvm::Error::success();
}

bool GpuProduct::hasRows(DevicePointer at, int64_t stride, int64_t step, int64_t count) const {
  return step == 1 && count == vectors_ && at % static_cast<uint64_t>(alignment_) == 0 &&
         stride * static_cast<int64_t>(sizeOf(type_)) % alignment_ == 0;
}

size_t GpuProduct::bytesOfRows(const SeveralVectors &v) const {
  // If the first pass can read X in place, so can all others, except a last one with fewer vectors.
  const bool isInPlace = v.count % vectors_ == 0 && hasRows(v.x, v.strideX, v.stepX, vectors_);
  return isInPlace ? 0 : static_cast<size_t>(cols_ * vectors_) * sizeOf(type_);
}

llvm::Error GpuProduct::runPass(const Operands &asked, StreamHandle stream) const {
  Operands operands = asked;
  SeveralVectors &v = operands.several;
  if (cols_ > 0 && !hasRows(v.x, v.strideX, v.stepX, v.count)) {
    if (llvm::Error error = put(*toRows_, operands, stream))
      return error;
    operands.x = operands.rowsOfX;
    v.strideX = vectors_;
  }
  if (hasRows(v.y, v.strideY, v.stepY, v.count))
    v.stepY = 0; // tells the kernel that rows are whole
  return run(several_, operands, stream);
}

llvm::Error GpuProduct::run(const Scalars &scalars, const SeveralVectors &vectors,
                            DevicePointer rowsOfX, StreamHandle stream) const {
  const auto size = static_cast<int64_t>(sizeOf(type_));
  for (int64_t first = 0; first < vectors.count; first += vectors_) {
    SeveralVectors v = vectors;
    v.count = std::min<int64_t>(vectors_, vectors.count - first);
    v.x += static_cast<DevicePointer>(first * v.stepX * size);
    v.y += static_cast<DevicePointer>(first * v.stepY * size);
    Operands operands(scalars, type_, v.x, v.y);
    operands.several = v;
    operands.cols = cols_;
    operands.rowsOfX = rowsOfX;
    if (llvm::Error error = runPass(operands, stream))
      return error;
  }
  return llvm::Error::success();
}

// --- Product -------------------------------------------------------------------------------------

// Loads the arrays and kernels of a plan on a GPU and runs its steps.

// Arguments are listed on the stack, to avoid allocations. QCSR has 18 parameters, and a fused step
// adds up to 38.
constexpr size_t kMaxArguments = 64;

llvm::Error GpuProduct::pin(const LayoutArray &array) {
  auto memory = allocateHost(*gpu_, array.bytes.size());
  if (!memory)
    return memory.takeError();
  if (!array.bytes.empty())
    std::memcpy(memory->get(), array.bytes.data(), array.bytes.size());
  const HostArray at{array.type, array.count(), memory->get()};
  pinned_.emplace_back(array.name, PinnedArray{at, std::move(*memory)});
  return llvm::Error::success();
}

llvm::Error GpuProduct::upload(const LayoutArray &array) {
  auto buffer = gpu_->uploaded(array.bytes.data(), array.bytes.size());
  if (!buffer)
    return buffer.takeError();
  buffers_.emplace_back(array.name, std::move(*buffer));
  return llvm::Error::success();
}

void GpuProduct::useL2(std::shared_ptr<L2Turn> turn, const Layout &layout) {
  l2Place_ = std::make_shared<L2Place>(std::move(turn));
  l2Use_ = {layout.storedBytes(), layout.vectorElements * static_cast<int64_t>(sizeOf(type_))};
}

void GpuProduct::takeTurnOf(const GpuProduct &rival) {
  l2Place_ = std::make_shared<L2Place>(rival.l2Place_->turn());
}

llvm::Error GpuProduct::place(const Layout &layout) {
  for (const LayoutArray &array : layout.arrays)
    if (llvm::Error error = layout.zeroCopy || array.staysOnHost ? pin(array) : upload(array))
      return error;
  for (const LayoutArray &array : layout.scratch)
    if (llvm::Error error = upload(array))
      return error;
  return llvm::Error::success();
}

llvm::Expected<DevicePointer> GpuProduct::onDevice(const std::string &name) const {
  for (const auto &[key, buffer] : buffers_)
    if (key == name)
      return buffer.pointer();
  for (const auto &[key, pinned] : pinned_)
    if (key == name) // page-locked memory has the same address on the GPU
      return reinterpret_cast<DevicePointer>(pinned.array.bytes);
  return fail(Status::internal, "a step needs the array '{0}', which is not in the layout", name);
}

llvm::Expected<HostArray> GpuProduct::onHost(const std::string &name) const {
  for (const auto &[key, pinned] : pinned_)
    if (key == name)
      return pinned.array;
  return fail(Status::internal, "a step needs '{0}' on the host, where it is not", name);
}

llvm::Expected<GpuProduct::Slot> GpuProduct::bind(const Argument &argument,
                                                  const Layout &layout) const {
  if (argument.binding == Binding::integer)
    return Slot{argument.binding, static_cast<uint64_t>(layout.integer(argument.layoutName()))};
  if (argument.binding != Binding::array && argument.binding != Binding::scratch)
    return Slot{argument.binding, argument.index};
  auto pointer = onDevice(argument.layoutName());
  if (!pointer)
    return pointer.takeError();
  return Slot{argument.binding, *pointer};
}

llvm::Expected<GpuProduct::Action> GpuProduct::bind(const Launch &launch, const Layout &layout,
                                                    StreamHandle /*stream*/) const {
  if (launch.arguments.size() > kMaxArguments)
    return fail(Status::internal, "the kernel '{0}' has {1} arguments, more than the limit, {2}",
                launch.kernel, launch.arguments.size(), kMaxArguments);
  auto function = module_.function(launch.kernel);
  if (!function)
    return function.takeError();
  if (launch.sharedBytes > 0)
    if (llvm::Error error = gpu_->allowShared(*function, launch.sharedBytes))
      return error;
  if (launch.leavesL1)
    gpu_->leaveL1(*function, launch.blockThreads, launch.sharedBytes);
  Kernel kernel{*function, launch.grid, launch.blockThreads, launch.sharedBytes, {}, {}};
  for (const Argument &argument : launch.arguments) {
    auto slot = bind(argument, layout);
    if (!slot)
      return slot.takeError();
    if (slot->binding == Binding::integer)
      kernel.numbers.emplace_back(kernel.arguments.size(), argument.layoutName());
    kernel.arguments.push_back(*slot);
  }
  return kernel;
}

llvm::Expected<GpuProduct::Action> GpuProduct::bind(const HostDetour &detour, const Layout &layout,
                                                    StreamHandle /*stream*/) const {
  auto table = onHost(detour.table);
  if (!table)
    return table.takeError();
  auto from = onDevice(detour.from), to = onDevice(detour.to);
  if (!from || !to)
    return llvm::joinErrors(from.takeError(), to.takeError());
  auto call = DetourCall::prepare(gpu_, detour.call, *table, {*from, *layout.find(detour.from)},
                                  {*to, *layout.find(detour.to)});
  if (!call)
    return call.takeError();
  return Action(std::move(*call));
}

llvm::Expected<GpuProduct::Action> GpuProduct::bind(const LibraryCall &call, const Layout &layout,
                                                    StreamHandle stream) const {
  auto prepared = CusparseCall::prepare(gpu_, call.routine, layout,
                                        [&](const std::string &name) { return onDevice(name); },
                                        type_, {.stream = stream});
  if (!prepared)
    return prepared.takeError();
  return Action(std::move(*prepared));
}

llvm::Error GpuProduct::add(const Step &step, const Layout &layout, StreamHandle stream,
                            std::vector<Call> &calls) {
  const auto isDetour = [](const Call &call) {
    return std::holds_alternative<DetourCall>(call.action);
  };
  if (step.waitsForHost && llvm::none_of(calls, isDetour))
    return fail(Status::internal, "a step waits for the host before its detour has begun");
  auto action =
      std::visit([&](const auto &named) { return this->bind(named, layout, stream); }, step.action);
  if (!action)
    return action.takeError();
  calls.push_back({std::move(*action), step.waitsForHost});
  return llvm::Error::success();
}

llvm::Expected<GpuProduct> GpuProduct::load(std::shared_ptr<const GpuDevice> gpu,
                                            const Layout &layout, const TakeArray &take,
                                            const Steps &steps, GpuModule module,
                                            const Problem &problem, StreamHandle stream) {
  GpuProduct out(std::move(gpu), problem);
  out.useL2(std::make_shared<L2Turn>(out.gpu_->l2Turns()), layout);
  // If this fails, the stream must be idle before its memory is freed.
  auto settle = llvm::make_scope_exit([&] { llvm::consumeError(out.gpu_->synchronize(stream)); });
  if (layout.isOnHost) {
    if (llvm::Error error = out.place(layout))
      return error;
  } else {
    for (const auto *list : {&layout.arrays, &layout.scratch})
      for (const LayoutArray &array : *list)
        out.buffers_.emplace_back(array.name, take(array.name));
  }
  out.module_ = std::move(module);
  for (const Step &step : steps)
    if (llvm::Error error = out.add(step, layout, stream, out.calls_))
      return error;
  settle.release();
  return out;
}

llvm::Error GpuProduct::put(const Kernel &kernel, const Operands &o, StreamHandle stream) const {
  std::array<const void *, kMaxArguments> pointers;
  size_t count = 0;
  for (const Slot &slot : kernel.arguments)
    pointers[count++] = argumentOf(slot, o);
  return gpu_->launchEarly(kernel.function, kernel.grid, kernel.blockThreads, kernel.sharedBytes,
                           pointers.data(), stream);
}

llvm::Error GpuProduct::put(const DetourCall &call, const Operands & /*operands*/,
                            StreamHandle stream) {
  return call.begin(stream);
}

llvm::Error GpuProduct::put(const CusparseCall &call, const Operands &o, StreamHandle stream) {
  return call.run(o.alpha, o.x, o.beta, o.y, stream);
}

llvm::Error GpuProduct::run(const Scalars &scalars, DevicePointer x, DevicePointer y,
                            StreamHandle stream) const {
  return run(calls_, Operands(scalars, type_, x, y), stream);
}

bool GpuProduct::writesApart() const {
  return llvm::any_of(calls_, [](const Call &call) {
    const auto *kernel = std::get_if<Kernel>(&call.action);
    return kernel && llvm::any_of(kernel->arguments,
                                  [](const Slot &slot) { return slot.binding == Binding::added; });
  });
}

llvm::Error GpuProduct::run(const Scalars &scalars, DevicePointer x, DevicePointer y,
                            DevicePointer z, StreamHandle stream) const {
  Operands operands(scalars, type_, x, z);
  operands.added = y;
  return run(calls_, operands, stream);
}

llvm::Error GpuProduct::run(const StepOperands &step, DevicePointer x, StreamHandle stream) const {
  Operands operands({}, type_, x, 0);
  operands.step = &step;
  return run(calls_, operands, stream);
}

llvm::Error GpuProduct::run(llvm::ArrayRef<Call> calls, Operands operands,
                            StreamHandle stream) const {
  const DetourCall *detour = nullptr;
  // If this fails, the detour must have ended before returning: `stream` may not wait for it.
  auto settle = llvm::make_scope_exit([&] {
    if (detour)
      llvm::consumeError(detour->settle());
  });
  if (operands.scalarsAreOnGpu != scalarsAreOnGpu_)
    return fail(Status::internal, "alpha and beta are {0}, where the kernel does not read them",
                operands.scalarsAreOnGpu ? "on the GPU" : "numbers");
  const int64_t vectors = std::max<int64_t>(1, operands.several.count);
  operands.l2Policy =
      l2PolicyOf(l2Place_->sixteenthsFor({l2Use_.arrayBytes, l2Use_.vectorBytes * vectors}));
  for (const Call &call : calls) {
    if (call.waitsForHost)
      if (llvm::Error error = detour->join(stream))
        return error;
    if (const auto *begun = std::get_if<DetourCall>(&call.action))
      detour = begun;
    if (llvm::Error error = std::visit(
            [&](const auto &action) { return put(action, operands, stream); }, call.action))
      return error;
  }
  settle.release();
  return llvm::Error::success();
}

llvm::Error GpuProduct::updateValues(const Layout &layout, StreamHandle stream) const {
  if (const LayoutArray *array = layout.find(layout.valueArray)) {
    auto to = onDevice(array->name);
    if (!to)
      return to.takeError();
    if (llvm::Error error = gpu_->upload(*to, array->bytes.data(), array->bytes.size()))
      return error;
  }
  return valuesChanged(stream);
}

llvm::Error GpuProduct::valuesChanged(StreamHandle stream) const {
  for (const Call &call : calls_)
    if (const auto *library = std::get_if<CusparseCall>(&call.action))
      if (llvm::Error error = library->valuesChanged(stream))
        return error;
  return llvm::Error::success();
}

void GpuProduct::freeOn(StreamHandle stream) {
  for (auto &[name, buffer] : buffers_)
    buffer.freeOn(stream);
  for (Call &call : calls_)
    if (auto *library = std::get_if<CusparseCall>(&call.action))
      library->freeOn(stream);
}

int64_t GpuProduct::deviceBytes() const {
  int64_t sum = 0;
  for (const auto &[name, buffer] : buffers_)
    sum += static_cast<int64_t>(buffer.bytes());
  for (const Call &call : calls_)
    if (const auto *library = std::get_if<CusparseCall>(&call.action))
      sum += static_cast<int64_t>(library->workspaceBytes());
  return sum;
}

} // namespace specmv
