// Runs whole products on the host executor.
#include "tests/simt/runner.h"

#include "tests/simt/binding.h"
#include "tests/simt/executor.h"
#include "tests/simt/registry.h"

#include <algorithm>
#include <cstring>

namespace specmv::simt {
namespace {

// x and y come from the caller, who owes them no more than their element's alignment.
Buffer vectorOf(const char *name, int64_t count, ValueType type) {
  const size_t bytes = sizeOf(type);
  return {name, static_cast<size_t>(count) * bytes, bytes, bytes};
}

void copyIn(const Buffer &buffer, const ZeroedArray<std::byte> &bytes) {
  if (!bytes.empty())
    std::memcpy(buffer.data(), bytes.data(), bytes.size());
}

using Buffers = std::map<std::string, Buffer>;

void load(const std::vector<LayoutArray> &arrays, Buffers &out) {
  for (const LayoutArray &array : arrays) {
    Buffer buffer(array.name, array.bytes.size(), sizeOf(array.type), kDeviceAlignment);
    copyIn(buffer, array.bytes);
    out.emplace(array.name, std::move(buffer));
  }
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

// An order of the steps that their streams and events allow, in which one stream is ahead as far as
// it may: the caller's with an even seed. Not all of them if some wait for one another.
std::vector<size_t> orderOf(const Steps &steps, unsigned seed) {
  std::vector<bool> done(steps.size());
  const auto isDone = [&](size_t i) { return bool(done[i]); };
  const auto nextOf = [&](StepStream stream) {
    size_t i = 0;
    while (i < steps.size() && (done[i] || steps[i].stream != stream))
      ++i;
    const bool isReady =
        i < steps.size() && std::all_of(steps[i].after.begin(), steps[i].after.end(), isDone);
    return isReady ? i : steps.size();
  };
  std::vector<size_t> order;
  for (;;) {
    const size_t user = nextOf(StepStream::user), side = nextOf(StepStream::side);
    const size_t next =
        seed % 2 == 0 ? (user < steps.size() ? user : side) : (side < steps.size() ? side : user);
    if (next == steps.size())
      return order;
    done[next] = true;
    order.push_back(next);
  }
}

} // namespace

Loaded::Loaded(const Layout &layout, int64_t rows, int64_t cols, ValueType type)
    : type_(type), integers_(layout.integers.begin(), layout.integers.end()),
      x_(vectorOf("x", cols, type)), y_(vectorOf("y", rows, type)) {
  load(layout.arrays, arrays_);
  load(layout.scratch, scratch_);
  for (const auto *list : {&layout.hostArrays, &layout.hostScratch}) {
    load(*list, host_);
    for (const LayoutArray &array : *list)
      hostTypes_.emplace(array.name, array.type);
  }
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
    return std::string("binding: ") + argument.name + " is compiled as another type";
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

std::string Loaded::run(const Launch &launch, const Context &context) const {
  const CompiledKernel *kernel = findKernel(context.source, launch.kernel);
  if (!kernel)
    return "simt_emit did not compile " + launch.kernel;
  if (launch.arguments.size() != kernel->count)
    return "binding: " + launch.kernel + " has another number of parameters";
  if (launch.blockThreads == 0 || launch.blockThreads > 1024 || launch.grid[0] == 0)
    return "launch: the driver would refuse " + launch.kernel;
  std::vector<Bound> values(launch.arguments.size());
  std::vector<void *> arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    std::string why = bind(launch.arguments[i], kernel->parameters[i], context.product, values[i]);
    if (!why.empty())
      return why;
    arguments.push_back(values[i].bytes);
  }
  const Shape shape{launch.grid, launch.blockThreads, launch.sharedBytes};
  return execute(
      shape, [&] { kernel->call(arguments.data()); }, context.seed);
}

std::string Loaded::run(const Copy &copy, const Context & /*context*/) const {
  const auto device = scratch_.find(copy.device);
  const auto host = host_.find(copy.host);
  if (device == scratch_.end() || host == host_.end())
    return "copy: the layout lacks " + copy.device + " or " + copy.host;
  if (device->second.bytes() != host->second.bytes())
    return "copy: " + copy.device + " and " + copy.host + " differ in size";
  const bool toHost = copy.direction == Copy::Direction::toHost;
  const Buffer &from = toHost ? device->second : host->second;
  std::memcpy(toHost ? host->second.data() : device->second.data(), from.data(), from.bytes());
  return "";
}

std::string Loaded::run(const HostFunction &function, const Context & /*context*/) const {
  std::vector<HostArray> arguments;
  for (const std::string &name : function.arguments) {
    const auto it = host_.find(name);
    if (it == host_.end())
      return "host function: the layout has no host array " + name;
    const ElementType type = hostTypes_.at(name);
    arguments.push_back({type, static_cast<int64_t>(it->second.bytes() / sizeOf(type)),
                         reinterpret_cast<std::byte *>(it->second.data())});
  }
  function.call(arguments);
  return "";
}

std::string Loaded::run(const LibraryCall &call, const Context & /*context*/) {
  return "the host executor has no library for " + call.routine;
}

std::string Loaded::multiply(const Steps &steps, uint64_t source, Product &product, unsigned seed) {
  store(type_, product.x, x_);
  store(type_, product.y, y_);
  const Context context{source, product, seed};
  const std::vector<size_t> order = orderOf(steps, seed);
  if (order.size() != steps.size())
    return "steps: some wait for one another";
  for (size_t i : order) {
    std::string finding =
        std::visit([&](const auto &action) { return run(action, context); }, steps[i].action);
    if (!finding.empty())
      return finding;
  }
  for (size_t i = 0; i < product.y.size(); ++i)
    product.y[i] = read(type_, y_.data() + i * sizeOf(type_));
  return "";
}

} // namespace specmv::simt
