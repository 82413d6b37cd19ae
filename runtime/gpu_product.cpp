// Loads a plan's arrays and kernels on a GPU and launches its steps.
#include "runtime/gpu_product.h"

#include "models/error.h"

#include <cstring>

namespace specmv {

// The bits of alpha or beta as a kernel of this value type takes them.
static uint64_t bitsOf(double value, ValueType type) {
  uint64_t bits = 0;
  const auto narrow = static_cast<float>(value);
  type == ValueType::f32 ? std::memcpy(&bits, &narrow, sizeof narrow)
                         : std::memcpy(&bits, &value, sizeof value);
  return bits;
}

llvm::Expected<GpuProduct::Slot> GpuProduct::bind(const Argument &argument,
                                                  const Layout &layout) const {
  const std::string &name = argument.layoutName();
  if (argument.binding == Binding::integer)
    return Slot{argument.binding, static_cast<uint64_t>(layout.integer(name))};
  if (argument.binding != Binding::array && argument.binding != Binding::scratch)
    return Slot{argument.binding, 0};
  for (const auto &[key, buffer] : buffers_)
    if (key == name)
      return Slot{argument.binding, buffer.pointer()};
  return fail(Status::internal, "a kernel wants the array '{0}', which its layout does not have",
              name);
}

llvm::Expected<GpuProduct> GpuProduct::load(std::shared_ptr<const GpuDevice> gpu,
                                            const Layout &layout, const Steps &steps,
                                            const std::vector<char> &cubin,
                                            const Problem &problem) {
  GpuProduct out;
  out.gpu_ = std::move(gpu);
  out.type_ = problem.type;
  for (const auto *list : {&layout.arrays, &layout.scratch})
    for (const LayoutArray &array : *list) {
      auto buffer = out.gpu_->uploaded(array.bytes.data(), array.bytes.size());
      if (!buffer)
        return buffer.takeError();
      out.buffers_.emplace_back(array.name, std::move(*buffer));
    }
  auto module = out.gpu_->load(cubin);
  if (!module)
    return module.takeError();
  out.module_ = std::move(*module);

  for (const Launch &launch : steps) {
    auto function = out.module_.function(launch.kernel);
    if (!function)
      return function.takeError();
    Call call{*function, launch.grid, launch.blockThreads, {}};
    for (const Argument &argument : launch.arguments) {
      auto slot = out.bind(argument, layout);
      if (!slot)
        return slot.takeError();
      call.arguments.push_back(*slot);
    }
    out.calls_.push_back(std::move(call));
  }
  return out;
}

llvm::Error GpuProduct::run(double alpha, DevicePointer x, double beta, DevicePointer y,
                            StreamHandle stream) const {
  const uint64_t alphaBits = bitsOf(alpha, type_), betaBits = bitsOf(beta, type_);
  std::vector<uint64_t> values;
  std::vector<void *> pointers;
  for (const Call &call : calls_) {
    values.clear();
    for (const Slot &slot : call.arguments)
      values.push_back(slot.binding == Binding::x       ? x
                       : slot.binding == Binding::y     ? y
                       : slot.binding == Binding::alpha ? alphaBits
                       : slot.binding == Binding::beta  ? betaBits
                                                        : slot.bits);
    pointers.clear();
    for (uint64_t &value : values)
      pointers.push_back(&value);
    if (llvm::Error error =
            gpu_->launch(call.function, call.grid, call.blockThreads, pointers.data(), stream))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error GpuProduct::updateValues(const Layout &layout) const {
  const LayoutArray *array = layout.find(layout.valueArray);
  for (const auto &[name, buffer] : buffers_)
    if (array && name == layout.valueArray)
      return gpu_->upload(buffer.pointer(), array->bytes.data(), array->bytes.size());
  return llvm::Error::success();
}

int64_t GpuProduct::deviceBytes() const {
  int64_t sum = 0;
  for (const auto &[name, buffer] : buffers_)
    sum += static_cast<int64_t>(buffer.bytes());
  return sum;
}

} // namespace specmv
