// Runs whole products on the host executor.
#include "tests/simt/runner.h"

#include "tests/simt/executor.h"
#include "tests/simt/registry.h"

#include <cstring>

namespace specmv::simt {
namespace {

constexpr size_t kDeviceAlignment = 256; // of cuMemAlloc

// x and y come from the caller, who owes them no more than their element's alignment.
Buffer vectorOf(const char *name, int64_t count, ValueType type) {
  const size_t bytes = sizeOf(type);
  return {name, static_cast<size_t>(count) * bytes, bytes, bytes};
}

void copyIn(const Buffer &buffer, const std::vector<std::byte> &bytes) {
  if (!bytes.empty())
    std::memcpy(buffer.data(), bytes.data(), bytes.size());
}

std::map<std::string, Buffer> load(const std::vector<LayoutArray> &arrays) {
  std::map<std::string, Buffer> out;
  for (const LayoutArray &array : arrays) {
    Buffer buffer(array.name, array.bytes.size(), sizeOf(array.type), kDeviceAlignment);
    copyIn(buffer, array.bytes);
    out.emplace(array.name, std::move(buffer));
  }
  return out;
}

void write(ValueType type, double value, char *to) {
  const float narrow = static_cast<float>(value);
  type == ValueType::f32 ? std::memcpy(to, &narrow, 4) : std::memcpy(to, &value, 8);
}

double read(ValueType type, const char *from) {
  float narrow = 0;
  double wide = 0;
  type == ValueType::f32 ? std::memcpy(&narrow, from, 4) : std::memcpy(&wide, from, 8);
  return type == ValueType::f32 ? narrow : wide;
}

void store(ValueType type, const std::vector<double> &values, const Buffer &to) {
  for (size_t i = 0; i < values.size(); ++i)
    write(type, values[i], to.data() + i * sizeOf(type));
}

bool isPointer(Binding binding) {
  return binding == Binding::array || binding == Binding::scratch || binding == Binding::x ||
         binding == Binding::y;
}

char kindOf(ElementType type) {
  if (type == ElementType::f32 || type == ElementType::f64)
    return 'f';
  return type == ElementType::i32 || type == ElementType::i64 ? 'i' : 'u';
}

// What the driver would not notice: the compiled parameter is not what the launch binds.
bool agrees(const Argument &argument, const Parameter &parameter) {
  const bool written = argument.binding == Binding::y || argument.binding == Binding::scratch;
  return parameter.pointer == isPointer(argument.binding) && parameter.writable == written &&
         parameter.kind == kindOf(argument.type) && parameter.bytes == sizeOf(argument.type);
}

} // namespace

Loaded::Loaded(const Layout &layout, int64_t rows, int64_t cols, ValueType type)
    : type_(type), arrays_(load(layout.arrays)), scratch_(load(layout.scratch)),
      integers_(layout.integers.begin(), layout.integers.end()), x_(vectorOf("x", cols, type)),
      y_(vectorOf("y", rows, type)) {
  integers_.emplace("rows", rows);
  integers_.emplace("cols", cols);
  y_.trackWrites();
  for (auto &[name, buffer] : scratch_)
    buffer.trackWrites();
}

void Loaded::updateValues(const Layout &layout) {
  for (const LayoutArray &array : layout.arrays)
    if (array.name == layout.valueArray)
      copyIn(arrays_.at(array.name), array.bytes);
}

const Buffer *Loaded::bufferOf(const Argument &argument) const {
  if (argument.binding == Binding::x)
    return &x_;
  if (argument.binding == Binding::y)
    return &y_;
  const auto &buffers = argument.binding == Binding::array ? arrays_ : scratch_;
  const auto it = buffers.find(argument.layoutName());
  return it == buffers.end() ? nullptr : &it->second;
}

std::string Loaded::bind(const Argument &argument, const Parameter &parameter,
                         const Product &product, Bound &out) const {
  if (!agrees(argument, parameter))
    return "binding: " + argument.name + " is compiled as another type";
  if (isPointer(argument.binding)) {
    const Buffer *buffer = bufferOf(argument);
    if (!buffer)
      return "binding: the layout has no array " + argument.layoutName();
    if (buffer->element() != sizeOf(argument.type))
      return "binding: " + argument.layoutName() + " has elements of another size";
    const char *data = buffer->data();
    std::memcpy(out.bytes, &data, sizeof data);
    return "";
  }
  if (argument.binding != Binding::integer) {
    write(type_, argument.binding == Binding::alpha ? product.alpha : product.beta, out.bytes);
    return "";
  }
  const auto it = integers_.find(argument.layoutName());
  if (it == integers_.end())
    return "binding: the layout has no integer " + argument.layoutName();
  if (sizeOf(argument.type) == 4 && it->second != static_cast<int32_t>(it->second))
    return "binding: " + argument.layoutName() + " does not fit 32 bits";
  std::memcpy(out.bytes, &it->second, sizeof it->second); // little-endian: also for 32 bits
  return "";
}

std::string Loaded::launch(const Launch &launch, const CompiledKernel &kernel,
                           const Product &product, unsigned seed) {
  if (launch.arguments.size() != kernel.count)
    return "binding: " + launch.kernel + " has another number of parameters";
  if (launch.blockThreads == 0 || launch.blockThreads > 1024 || launch.grid[0] == 0)
    return "launch: the driver would refuse " + launch.kernel;
  std::vector<Bound> values(launch.arguments.size());
  std::vector<void *> arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    std::string why = bind(launch.arguments[i], kernel.parameters[i], product, values[i]);
    if (!why.empty())
      return why;
    arguments.push_back(values[i].bytes);
  }
  const Shape shape{launch.grid, launch.blockThreads};
  return execute(
      shape, [&] { kernel.call(arguments.data()); }, seed);
}

std::string Loaded::multiply(const Steps &steps, uint64_t source, Product &product, unsigned seed) {
  store(type_, product.x, x_);
  store(type_, product.y, y_);
  for (const Launch &step : steps) {
    const CompiledKernel *kernel = findKernel(source, step.kernel);
    if (!kernel)
      return "simt_emit did not compile " + step.kernel;
    std::string finding = launch(step, *kernel, product, seed);
    if (!finding.empty())
      return finding;
  }
  for (size_t i = 0; i < product.y.size(); ++i)
    product.y[i] = read(type_, y_.data() + i * sizeOf(type_));
  return "";
}

} // namespace specmv::simt
