// Loads the arrays and kernels of a plan on a GPU and runs its steps.
#include "runtime/cuda/product.h"

#include "models/base/error.h"
#include "runtime/cuda/overlap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

#include <cassert>
#include <cstring>

namespace specmv {

// Arguments are listed on the stack, to avoid allocations. QCSR has the most parameters, 18.
constexpr size_t kMaxArguments = 32;

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

llvm::Error GpuProduct::place(const Layout &layout) {
  using Place = llvm::Error (GpuProduct::*)(const LayoutArray &);
  const std::pair<const std::vector<LayoutArray> *, Place> lists[] = {
      {&layout.arrays, layout.zeroCopy ? &GpuProduct::pin : &GpuProduct::upload},
      {&layout.scratch, &GpuProduct::upload},
      {&layout.hostArrays, &GpuProduct::pin},
      {&layout.hostScratch, &GpuProduct::pin}};
  for (const auto &[list, place] : lists)
    for (const LayoutArray &array : *list)
      if (llvm::Error error = (this->*place)(array))
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
    return Slot{argument.binding, 0};
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
  Kernel kernel{*function, launch.grid, launch.blockThreads, launch.sharedBytes, {}};
  for (const Argument &argument : launch.arguments) {
    auto slot = bind(argument, layout);
    if (!slot)
      return slot.takeError();
    kernel.arguments.push_back(*slot);
  }
  return kernel;
}

llvm::Expected<GpuProduct::Action> GpuProduct::bind(const Copy &copy, const Layout &layout,
                                                    StreamHandle /*stream*/) const {
  auto device = onDevice(copy.device);
  if (!device)
    return device.takeError();
  auto host = onHost(copy.host);
  if (!host)
    return host.takeError();
  const int64_t bytes = layout.find(copy.device)->size();
  if (layout.find(copy.host)->size() != bytes)
    return fail(Status::internal, "a step copies between '{0}' of {1} bytes and '{2}' of {3} bytes",
                copy.device, bytes, copy.host, layout.find(copy.host)->size());
  return Transfer{copy.direction, *device, host->bytes, static_cast<size_t>(bytes)};
}

llvm::Expected<GpuProduct::Action> GpuProduct::bind(const HostFunction &function,
                                                    const Layout & /*layout*/,
                                                    StreamHandle /*stream*/) const {
  HostCall call{function.call, {}};
  for (const std::string &name : function.arguments) {
    auto array = onHost(name);
    if (!array)
      return array.takeError();
    call.arguments.push_back(*array);
  }
  return call;
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
  auto action =
      std::visit([&](const auto &named) { return bind(named, layout, stream); }, step.action);
  if (!action)
    return action.takeError();
  Call call{std::move(*action), step.stream, {}, {}};
  if (step.stream == StepStream::side && !sideStream_) {
    auto side = makeStream(*gpu_);
    if (!side)
      return side.takeError();
    sideStream_ = std::move(*side);
  }
  for (size_t before : step.after) {
    assert(before < calls.size() && "a step waits for a later one");
    GpuHandle<void *> &done = calls[before].done;
    if (!done) {
      auto event = makeEvent(*gpu_, EventKind::ordering);
      if (!event)
        return event.takeError();
      done = std::move(*event);
    }
    call.after.push_back(done.get());
  }
  calls.push_back(std::move(call));
  return llvm::Error::success();
}

llvm::Expected<GpuProduct> GpuProduct::load(std::shared_ptr<const GpuDevice> gpu,
                                            const Layout &layout, const TakeArray &take,
                                            const Steps &steps, GpuModule module,
                                            const Problem &problem, StreamHandle stream) {
  GpuProduct out(std::move(gpu), problem);
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
  return gpu_->launch(kernel.function, kernel.grid, kernel.blockThreads, kernel.sharedBytes,
                      pointers.data(), stream);
}

llvm::Error GpuProduct::put(const Transfer &t, const Operands & /*operands*/,
                            StreamHandle stream) const {
  return t.direction == Copy::Direction::toHost ? gpu_->download(t.host, t.device, t.bytes, stream)
                                                : gpu_->upload(t.device, t.host, t.bytes, stream);
}

llvm::Error GpuProduct::put(const HostCall &call, const Operands & /*operands*/,
                            StreamHandle stream) const {
  const auto run = [](void *data) {
    const auto &self = *static_cast<const HostCall *>(data);
    self.call(self.arguments);
  };
  return callOnHost(*gpu_, run, const_cast<HostCall *>(&call), stream);
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

llvm::Error GpuProduct::run(llvm::ArrayRef<Call> calls, const Operands &operands,
                            StreamHandle stream) const {
  // If this fails, the side stream must be idle before returning: `stream` may not wait for it.
  auto settle = llvm::make_scope_exit([&] {
    if (sideStream_)
      llvm::consumeError(gpu_->synchronize(sideStream_.get()));
  });
  if (operands.scalarsAreOnGpu != scalarsAreOnGpu_)
    return fail(Status::internal, "alpha and beta are {0}, where the kernel does not read them",
                operands.scalarsAreOnGpu ? "on the GPU" : "numbers");
  for (const Call &call : calls) {
    const StreamHandle on = call.stream == StepStream::user ? stream : sideStream_.get();
    for (void *event : call.after)
      if (llvm::Error error = waitFor(*gpu_, event, on))
        return error;
    if (llvm::Error error =
            std::visit([&](const auto &action) { return put(action, operands, on); }, call.action))
      return error;
    if (call.done)
      if (llvm::Error error = record(*gpu_, call.done.get(), on))
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
