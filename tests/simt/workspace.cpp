// Runs set-up kernels on the host executor.
#include "tests/simt/workspace.h"

#include "models/base/error.h"
#include "tests/simt/binding.h"
#include "tests/simt/executor.h"
#include "tests/simt/registry.h"

#include <cstring>

namespace specmv::simt {

static llvm::Error finding(const std::string &sentence) {
  return failWith(Status::internal, sentence);
}

HostWorkspace::HostWorkspace(const CsrView &a, unsigned seed, bool lendsCsr)
    : Workspace({dimensionsOf(a), a.indexType, a.valueType}, lendsCsr), seed_(seed) {
  const auto copy = [&](const char *name, ElementType type, int64_t count, const void *from) {
    llvm::cantFail(add(name, type, count, Contents::zeros));
    llvm::cantFail(write(name, from, from ? count : 0));
  };
  copy(kCsrRowPtr, elementOf(a.indexType), a.rows + 1, a.rowPtr);
  copy(kCsrCol, elementOf(a.indexType), a.nnz, a.col);
  copy(kCsrVal, elementOf(a.valueType), a.nnz, a.val);
}

// Unwritten memory holds a pattern, so that a kernel that reads it is detected.
llvm::Error HostWorkspace::add(const std::string &name, ElementType type, int64_t count,
                               Contents contents) {
  const size_t bytes = static_cast<size_t>(count) * sizeOf(type);
  Buffer buffer(name, bytes, sizeOf(type), kDeviceAlignment);
  buffer.trackWrites();
  std::memset(buffer.data(), contents == Contents::zeros ? 0 : 0xA5, bytes);
  if (!arrays_.emplace(name, std::move(buffer)).second)
    return finding("workspace: " + name + " is added twice");
  return llvm::Error::success();
}

llvm::Error HostWorkspace::lend(const std::string &array, const std::string &as) {
  const Buffer *from = find(array);
  if (!from)
    return finding("lend: the workspace has no array " + array);
  const auto count = static_cast<int64_t>(from->bytes() / from->element());
  const ElementType type = from->element() == 4 ? ElementType::u32 : ElementType::u64;
  if (llvm::Error error = add(as, type, count, Contents::zeros))
    return error;
  return write(as, from->data(), count);
}

void HostWorkspace::drop(const std::string &name) { arrays_.erase(name); }

const Buffer *HostWorkspace::find(const std::string &name) const {
  const auto it = arrays_.find(name);
  return it == arrays_.end() ? nullptr : &it->second;
}

std::string HostWorkspace::bind(const Field &field, Bound &out) const {
  const Argument &argument = field.argument;
  if (!isPointer(argument.binding)) {
    if (sizeOf(argument.type) == 4 && field.count != static_cast<int32_t>(field.count))
      return std::string("binding: ") + argument.name + " does not fit 32 bits";
    std::memcpy(out.bytes, &field.count, sizeof field.count); // little-endian
    return "";
  }
  if (field.kind == Field::Kind::null) {
    std::memset(out.bytes, 0, sizeof out.bytes);
    return "";
  }
  const Buffer *buffer = find(argument.layoutName());
  if (!buffer)
    return "binding: the workspace has no array " + argument.layoutName();
  // A kernel may fill an array of any type by bytes.
  if (argument.type != ElementType::u8 && buffer->element() != sizeOf(argument.type))
    return "binding: " + argument.layoutName() + " has elements of another size";
  const char *data = buffer->data();
  std::memcpy(out.bytes, &data, sizeof data);
  return "";
}

llvm::Error HostWorkspace::launch(const KernelSource &source, const SetupKernel &kernel,
                                  int64_t blocks) {
  const CompiledKernel *compiled = findKernel(hashOf(source.text), kernel.kernel.name);
  if (!compiled)
    return finding("simt_emit did not compile " + kernel.kernel.name);
  if (kernel.fields.size() != compiled->count)
    return finding("binding: " + kernel.kernel.name + " has another number of parameters");
  std::vector<Bound> values(kernel.fields.size());
  std::vector<void *> arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!agrees(kernel.fields[i].argument, compiled->parameters[i], false))
      return finding(std::string("binding: ") + kernel.fields[i].argument.name + " of " +
                     kernel.kernel.name + " is compiled as another type");
    if (const std::string why = bind(kernel.fields[i], values[i]); !why.empty())
      return finding(why);
    arguments.push_back(values[i].bytes);
  }
  launched_.push_back(kernel.kernel.name);
  if (blocks == 0)
    return llvm::Error::success();
  const Shape shape{{static_cast<uint32_t>(blocks), 1, 1},
                    static_cast<uint32_t>(kernel.kernel.blockThreads),
                    static_cast<uint32_t>(kernel.kernel.sharedBytes)};
  const std::string seen = execute(
      shape, [&] { compiled->call(arguments.data()); }, seed_);
  return seen.empty() ? llvm::Error::success() : finding(kernel.kernel.name + ": " + seen);
}

llvm::Error HostWorkspace::read(const std::string &name, int64_t first, int64_t count, void *to) {
  const Buffer *buffer = find(name);
  if (!buffer)
    return finding("read: the workspace has no array " + name);
  const size_t begin = static_cast<size_t>(first) * buffer->element();
  const size_t bytes = static_cast<size_t>(count) * buffer->element();
  if (begin + bytes > buffer->bytes())
    return finding("read: " + name + " is not that long");
  if (bytes > 0)
    std::memcpy(to, buffer->data() + begin, bytes);
  return llvm::Error::success();
}

llvm::Error HostWorkspace::write(const std::string &name, const void *from, int64_t count) {
  const Buffer *buffer = find(name);
  const size_t bytes = buffer ? static_cast<size_t>(count) * buffer->element() : 0;
  if (!buffer || bytes > buffer->bytes())
    return finding("write: the workspace has no array " + name + " of that length");
  if (bytes > 0)
    std::memcpy(buffer->data(), from, bytes);
  return llvm::Error::success();
}

} // namespace specmv::simt
