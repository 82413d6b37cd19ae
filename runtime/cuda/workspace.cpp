// Allocates the arrays of a set-up on a GPU and launches its kernels.
#include "runtime/cuda/workspace.h"

#include "models/base/error.h"
#include "models/base/numbers.h"

namespace specmv {

GpuWorkspace::GpuWorkspace(std::shared_ptr<const GpuDevice> gpu, const DeviceCsr &csr,
                           const DeviceArrays &arrays, KernelLoader loader, StreamHandle stream,
                           bool lendsCsr)
    : Workspace(csr, lendsCsr), gpu_(std::move(gpu)), loader_(std::move(loader)), stream_(stream) {
  const size_t index = sizeOf(csr.indexType);
  arrays_[kCsrRowPtr] = {arrays.rowPtr, index, csr.rows + 1, {}};
  arrays_[kCsrCol] = {arrays.col, index, csr.nnz, {}};
  arrays_[kCsrVal] = {arrays.val, sizeOf(csr.valueType), csr.nnz, {}};
}

GpuWorkspace::~GpuWorkspace() {
  for (auto &[name, array] : arrays_)
    array.memory.freeOn(stream_);
  shared_.freeOn(stream_);
  if (isBusy_)
    llvm::consumeError(finish());
}

llvm::Error GpuWorkspace::finish() {
  isBusy_ = false;
  return gpu_->synchronize(stream_);
}

llvm::Error GpuWorkspace::add(const std::string &name, ElementType type, int64_t count,
                              Contents contents) {
  const size_t bytes = static_cast<size_t>(count) * sizeOf(type);
  isBusy_ = true;
  auto memory = gpu_->allocate(bytes, stream_);
  if (!memory)
    return memory.takeError();
  if (contents == Contents::zeros && bytes > 0)
    if (llvm::Error error = gpu_->fill(memory->pointer(), 0, bytes, stream_))
      return error;
  const DevicePointer pointer = memory->pointer();
  return place(name, {pointer, sizeOf(type), count, std::move(*memory)});
}

llvm::Error GpuWorkspace::place(const std::string &name, Array array) {
  if (!arrays_.try_emplace(name, std::move(array)).second)
    return fail(Status::internal, "the workspace has two arrays '{0}'", name);
  return llvm::Error::success();
}

// The size of a small matrix's scratch arrays. Filling more takes longer than a launch.
constexpr int64_t kSharedBytes = 64 << 10;

llvm::Error GpuWorkspace::makeShared() {
  isBusy_ = true;
  auto memory = gpu_->allocate(kSharedBytes, stream_);
  if (!memory)
    return memory.takeError();
  if (llvm::Error error = gpu_->fill(memory->pointer(), 0, kSharedBytes, stream_))
    return error;
  shared_ = std::move(*memory);
  return llvm::Error::success();
}

llvm::Error GpuWorkspace::addScratch(const std::string &name, ElementType type, int64_t count,
                                     Contents contents) {
  constexpr int64_t kAlignment = 256; // the alignment of an allocation
  const int64_t bytes = count * static_cast<int64_t>(sizeOf(type));
  if (sharedUsed_ + bytes > kSharedBytes)
    return add(name, type, count, contents);
  if (!shared_.pointer())
    if (llvm::Error error = makeShared())
      return error;
  const DevicePointer pointer = shared_.pointer() + static_cast<size_t>(sharedUsed_);
  sharedUsed_ = roundUp(sharedUsed_ + bytes, kAlignment);
  return place(name, {pointer, sizeOf(type), count, DeviceBuffer::referTo(pointer)});
}

llvm::Error GpuWorkspace::lend(const std::string &array, const std::string &as) {
  const Array *from = find(array);
  if (!from)
    return fail(Status::internal, "the workspace has no array '{0}' to lend", array);
  arrays_[as] = {from->pointer, from->elementBytes, from->count,
                 DeviceBuffer::referTo(from->pointer)};
  return llvm::Error::success();
}

void GpuWorkspace::drop(const std::string &name) { take(name).freeOn(stream_); }

DeviceBuffer GpuWorkspace::take(const std::string &name) {
  const auto found = arrays_.find(name);
  if (found == arrays_.end())
    return {};
  DeviceBuffer memory = std::move(found->second.memory);
  arrays_.erase(found);
  return memory;
}

const GpuWorkspace::Array *GpuWorkspace::find(const std::string &name) const {
  const auto found = arrays_.find(name);
  return found == arrays_.end() ? nullptr : &found->second;
}

llvm::Expected<uint64_t> GpuWorkspace::bind(const Field &field) const {
  const Argument &argument = field.argument;
  if (argument.binding == Binding::integer)
    return static_cast<uint64_t>(field.count);
  if (field.kind == Field::Kind::null)
    return 0;
  const Array *array = find(argument.layoutName());
  if (!array)
    return fail(Status::internal, "a set-up kernel needs the array '{0}', which does not exist",
                argument.layoutName());
  return array->pointer;
}

llvm::Expected<void *> GpuWorkspace::functionOf(const KernelSource &source,
                                                const SetupKernel &kernel) {
  if (!module_ || source_ != source.digest) {
    auto module = loader_(source);
    lacksKernels_ = !module;
    if (!module)
      return module.takeError();
    module_ = std::move(*module);
    source_ = source.digest;
  }
  return module_->function(kernel.kernel.name);
}

llvm::Expected<BoundLaunch> GpuWorkspace::bound(const KernelSource &source,
                                                const SetupKernel &kernel, int64_t blocks) {
  auto function = functionOf(source, kernel);
  if (!function)
    return function.takeError();
  BoundLaunch out{.module = module_,
                  .function = *function,
                  .blocks = static_cast<uint32_t>(blocks),
                  .blockThreads = static_cast<uint32_t>(kernel.kernel.blockThreads),
                  .sharedBytes = static_cast<uint32_t>(kernel.kernel.sharedBytes)};
  if (out.sharedBytes > 0)
    if (llvm::Error error = gpu_->allowShared(*function, out.sharedBytes))
      return error;
  out.values.reserve(kernel.fields.size());
  for (const Field &field : kernel.fields) {
    auto value = bind(field);
    if (!value)
      return value.takeError();
    out.values.push_back(*value);
  }
  return out;
}

llvm::Error GpuWorkspace::launch(const BoundLaunch &launch) {
  std::vector<const void *> arguments;
  arguments.reserve(launch.values.size());
  for (const uint64_t &value : launch.values)
    arguments.push_back(&value);
  isBusy_ = true;
  return gpu_->launch(launch.function, {launch.blocks, 1, 1}, launch.blockThreads,
                      launch.sharedBytes, arguments.data(), stream_);
}

llvm::Error GpuWorkspace::launch(const KernelSource &source, const SetupKernel &kernel,
                                 int64_t blocks) {
  if (blocks == 0)
    return llvm::Error::success();
  auto ready = bound(source, kernel, blocks);
  if (!ready)
    return ready.takeError();
  return launch(*ready);
}

llvm::Error GpuWorkspace::read(const std::string &name, int64_t first, int64_t count, void *to) {
  const Array *array = find(name);
  if (!array || first + count > array->count)
    return fail(Status::internal, "elements {0} to {1} of the array '{2}' do not exist", first,
                first + count, name);
  const size_t bytes = static_cast<size_t>(count) * array->elementBytes;
  if (llvm::Error error = gpu_->download(
          to, array->pointer + static_cast<size_t>(first) * array->elementBytes, bytes, stream_))
    return error;
  return finish();
}

llvm::Error GpuWorkspace::write(const std::string &name, const void *from, int64_t count) {
  const Array *array = find(name);
  if (!array || count > array->count)
    return fail(Status::internal, "the array '{0}' does not have {1} elements", name, count);
  isBusy_ = true;
  // No wait is needed: the driver copies pageable memory before the call returns.
  return gpu_->upload(array->pointer, from, static_cast<size_t>(count) * array->elementBytes,
                      stream_);
}

} // namespace specmv
