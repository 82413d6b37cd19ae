// Runs whole products on the host executor.
#include "tests/simt/runner.h"

#include "generator/shared/several.h"
#include "tests/simt/binding.h"
#include "tests/simt/executor.h"
#include "tests/simt/numbers.h"
#include "tests/simt/registry.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace specmv::simt {
namespace {

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

// Returns an order of the steps that their waits allow, in which the host is as late with its
// detour as it may be with an even seed, and at once with an odd one.
std::vector<size_t> orderOf(const Steps &steps, unsigned seed) {
  std::vector<size_t> order;
  std::vector<size_t> late;
  const auto catchUp = [&] {
    order.insert(order.end(), late.begin(), late.end());
    late.clear();
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool isDetour = std::holds_alternative<HostDetour>(steps[i].action);
    if (steps[i].waitsForHost)
      catchUp();
    if (seed % 2 == 0 && isDetour)
      late.push_back(i);
    else
      order.push_back(i);
  }
  catchUp();
  return order;
}

} // namespace

Loaded::Loaded(const Layout &layout, int64_t rows, int64_t cols, const Problem &problem)
    : type_(vectorTypeOf(problem)), scalarsAreOnGpu_(problem.scalarsAreOnGpu),
      resultIsApart_(problem.resultIsApart),
      integers_(layout.integers.begin(), layout.integers.end()), vectors_(problem.vectors),
      x_(vectorOf("x", vectors_ * cols, type_, vectors_)),
      y_(vectorOf("y", vectors_ * rows, type_, vectors_)),
      added_(vectorOf("added", resultIsApart_ ? rows : 0, type_)),
      rowsOfX_(vectorOf("rows of X", vectors_ == 1 ? 0 : vectors_ * cols, type_, vectors_)),
      alpha_(vectorOf("alpha", 1, type_)), beta_(vectorOf("beta", 1, type_)) {
  load(layout.arrays, arrays_);
  load(layout.scratch, scratch_);
  for (const auto *list : {&layout.arrays, &layout.scratch})
    for (const LayoutArray &array : *list)
      types_.emplace(array.name, array.type);
  integers_.emplace("rows", rows);
  integers_.emplace("cols", cols);
  y_.trackWrites();
  rowsOfX_.trackWrites();
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
    return readsRowsOfX_ ? &rowsOfX_ : &x_;
  if (argument.binding == Binding::y)
    return &y_;
  if (argument.binding == Binding::added)
    return addsY_ ? &y_ : &added_;
  if (argument.binding == Binding::rowsOfX)
    return &rowsOfX_;
  for (const auto &[binding, list] :
       {std::pair(Binding::vectorIn, &ofStep_), std::pair(Binding::vectorOut, &ofStep_),
        std::pair(Binding::scalarAt, &scalars_), std::pair(Binding::sum, &sums_)})
    if (argument.binding == binding)
      return &list->at(argument.index);
  // A kernel may only read what another one has put into working memory.
  const auto in = [&](const Buffers &buffers) {
    const auto it = buffers.find(argument.layoutName());
    return it == buffers.end() ? nullptr : &it->second;
  };
  const Buffer *stored = argument.binding == Binding::array ? in(arrays_) : nullptr;
  return stored ? stored : in(scratch_);
}

// Returns a number that is not of the layout; nothing for other bindings.
static std::optional<int64_t> numberOf(Binding binding, const Product &product) {
  switch (binding) {
  case Binding::strideX:
    return product.strideX;
  case Binding::stepX:
    return product.stepX;
  case Binding::strideY:
    return product.strideY;
  case Binding::stepY:
    return product.stepY;
  case Binding::count:
    return product.count;
  case Binding::l2Policy:
    return 0; // the host executor has no L2
  default:
    return std::nullopt;
  }
}

std::string Loaded::bind(const Argument &argument, const Parameter &parameter,
                         const Product &product, Bound &out) const {
  if (!agrees(argument, parameter, scalarsAreOnGpu_))
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
  if (const auto number = numberOf(argument.binding, product)) {
    std::memcpy(out.bytes, &*number, sizeof *number); // little-endian: also for 32 bits
    return "";
  }
  if (argument.binding == Binding::scalar) {
    write(type_, product.scalars.at(argument.index), out.bytes);
    return "";
  }
  if (argument.binding == Binding::alpha || argument.binding == Binding::beta) {
    const bool isAlpha = argument.binding == Binding::alpha;
    char *const onGpu = (isAlpha ? alpha_ : beta_).data();
    write(type_, isAlpha ? product.alpha : product.beta, scalarsAreOnGpu_ ? onGpu : out.bytes);
    if (scalarsAreOnGpu_)
      std::memcpy(out.bytes, &onGpu, sizeof onGpu);
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

std::string Loaded::run(const HostDetour &detour, const Context & /*context*/) const {
  const auto table = arrays_.find(detour.table);
  const auto from = scratch_.find(detour.from), to = scratch_.find(detour.to);
  if (table == arrays_.end() || from == scratch_.end() || to == scratch_.end())
    return "host detour: the layout lacks " + detour.table + ", " + detour.from + " or " +
           detour.to;
  // The function sees copies, as it does beside a GPU.
  const auto copyOf = [](const Buffer &buffer) {
    const auto *bytes = reinterpret_cast<const std::byte *>(buffer.data());
    return std::vector<std::byte>(bytes, bytes + buffer.bytes());
  };
  const auto view = [&](const std::string &name, std::vector<std::byte> &bytes) {
    const ElementType type = types_.at(name);
    return HostArray{type, static_cast<int64_t>(bytes.size() / sizeOf(type)), bytes.data()};
  };
  std::vector<std::byte> tableBytes = copyOf(table->second), fromBytes = copyOf(from->second),
                         toBytes = copyOf(to->second);
  detour.call(view(detour.table, tableBytes), view(detour.from, fromBytes),
              view(detour.to, toBytes));
  std::memcpy(to->second.data(), toBytes.data(), toBytes.size());
  return "";
}

std::string Loaded::run(const LibraryCall &call, const Context & /*context*/) {
  return "the host executor has no library for " + call.routine;
}

std::string Loaded::multiply(const Steps &steps, uint64_t source, Product &product, unsigned seed) {
  readsRowsOfX_ = false;
  loadStep(product);
  store(type_, product.x, x_);
  addsY_ = !resultIsApart_ || seed % 2 == 1;
  store(type_, product.y, addsY_ ? y_ : added_);
  if (!addsY_)
    store(type_, std::vector<double>(product.y.size(), std::nan("")), y_);
  std::string finding = runAll(steps, {source, product, seed});
  readBack(type_, y_, product.y);
  readStepBack(product);
  return finding;
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): the lambda calls members
std::string Loaded::runAll(const Steps &steps, const Context &context) const {
  const std::vector<size_t> order = orderOf(steps, context.seed);
  if (order.size() != steps.size())
    return "steps: some wait for one another";
  for (size_t i : order) {
    std::string finding =
        std::visit([&](const auto &action) { return run(action, context); }, steps[i].action);
    if (!finding.empty())
      return finding;
  }
  return "";
}

std::string Loaded::copyToRows(const Context &context) {
  const int64_t cols = integers_.at("cols");
  if (cols == 0)
    return "";
  return run(rowsOfXLaunch({.type = type_, .vectors = vectors_}, cols), context);
}

std::string Loaded::multiplySeveral(const Steps &steps, uint64_t source, Product &product,
                                    unsigned seed) {
  store(type_, product.x, x_);
  store(type_, product.y, y_);
  Product onRows = product;
  readsRowsOfX_ = false;
  if (product.stepX != 1 || product.count != vectors_) {
    std::string finding = copyToRows({source, product, seed});
    if (!finding.empty())
      return finding;
    readsRowsOfX_ = true;
    onRows.strideX = vectors_;
  }
  std::string finding = runAll(steps, {source, onRows, seed});
  readBack(type_, y_, product.y);
  return finding;
}

} // namespace specmv::simt
