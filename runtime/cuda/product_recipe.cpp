// Makes products that share the arrays of another one and have separate working memory.
#include "runtime/cuda/product_recipe.h"

#include "runtime/cuda/product.h"
#include "runtime/cuda/streams.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>
#include <utility>

namespace specmv {

std::vector<LayoutArray> withoutContents(const std::vector<LayoutArray> &arrays) {
  std::vector<LayoutArray> out;
  out.reserve(arrays.size());
  for (const LayoutArray &array : arrays)
    out.push_back({.name = array.name,
                   .type = array.type,
                   .elements = array.elements,
                   .isSpare = array.isSpare});
  return out;
}

static bool hasWorkingMemory(const Layout &layout, const Steps &steps) {
  return !layout.scratch.empty() || llvm::any_of(steps, [](const Step &step) {
    // cuSPARSE keeps a workspace for each call.
    return std::holds_alternative<LibraryCall>(step.action);
  });
}

ProductRecipe recipeOnSameMemory(const Layout &layout, const Steps &steps, const Steps &several,
                                 const Problem &problem, int64_t cols) {
  ProductRecipe out{{}, steps, several, problem, cols};
  out.layout.arrays = withoutContents(layout.arrays);
  out.layout.integers = layout.integers;
  out.layout.valueArray = layout.valueArray;
  out.layout.vectorElements = layout.vectorElements;
  out.layout.isOnHost = false;
  return out;
}

std::shared_ptr<const ProductRecipe> recipeOf(const Layout &layout, const Steps &steps,
                                              const Steps &several, const Problem &problem,
                                              int64_t cols) {
  if (!hasWorkingMemory(layout, steps))
    return nullptr;
  auto out =
      std::make_shared<ProductRecipe>(recipeOnSameMemory(layout, steps, several, problem, cols));
  out->layout.scratch = withoutContents(layout.scratch);
  return out;
}

static const LayoutArray *named(const std::vector<LayoutArray> &arrays, const std::string &name) {
  for (const LayoutArray &array : arrays)
    if (array.name == name)
      return &array;
  return nullptr;
}

llvm::Error GpuProduct::takeMemoryOf(const GpuProduct &other, const Layout &layout,
                                     StreamHandle stream) {
  for (const auto &[name, theirs] : other.buffers_) {
    if (!named(layout.scratch, name))
      buffers_.emplace_back(name, DeviceBuffer::referTo(theirs.pointer()));
  }
  for (const LayoutArray &scratch : layout.scratch) {
    const auto bytes = static_cast<size_t>(scratch.size());
    auto buffer = gpu_->allocate(bytes);
    if (!buffer)
      return buffer.takeError();
    if (llvm::Error error = gpu_->fill(buffer->pointer(), 0, bytes, stream))
      return error;
    buffers_.emplace_back(scratch.name, std::move(*buffer));
  }
  for (const auto &[name, theirs] : other.pinned_)
    pinned_.emplace_back(name, PinnedArray{theirs.array, {}});
  return llvm::Error::success();
}

llvm::Error GpuProduct::makeAgain(const GpuProduct &other, const ProductRecipe &recipe,
                                  StreamHandle stream) {
  l2Place_ = other.l2Place_;
  l2Use_ = other.l2Use_;
  l2Use_.arrayBytes = recipe.layout.storedBytes(); // those of a plan without its coding are larger
  if (llvm::Error error = takeMemoryOf(other, recipe.layout, stream))
    return error;
  for (const Step &step : recipe.steps)
    if (llvm::Error error = add(step, recipe.layout, stream, calls_))
      return error;
  if (recipe.problem.vectors == 1)
    return llvm::Error::success();
  return addSeveral(recipe.several, recipe.layout, recipe.problem, recipe.cols, stream);
}

llvm::Expected<GpuProduct> GpuProduct::again(const ProductRecipe &recipe) const {
  return with(module_, recipe);
}

llvm::Expected<GpuProduct> GpuProduct::with(GpuModule module, const ProductRecipe &recipe) const {
  GpuProduct out(gpu_, recipe.problem);
  out.module_ = std::move(module);
  auto stream = gpu_->workStream();
  if (!stream)
    return stream.takeError();
  llvm::Error made = out.makeAgain(*this, recipe, stream->get());
  // On success any stream may use the product; on failure its memory is freed. Both need an idle
  // stream.
  llvm::Error ended = gpu_->synchronize(stream->get());
  if (made || ended)
    return llvm::joinErrors(std::move(made), std::move(ended));
  return out;
}

void GpuProduct::addArray(const std::string &name, DeviceBuffer array) {
  buffers_.emplace_back(name, std::move(array));
}

DeviceBuffer GpuProduct::takeArray(const std::string &name) noexcept {
  const auto found = llvm::find_if(buffers_, [&](const auto &each) { return each.first == name; });
  if (found == buffers_.end())
    return {};
  DeviceBuffer out = std::move(found->second);
  buffers_.erase(found);
  return out;
}

void GpuProduct::setNumbers(const NamedNumbers &numbers) noexcept {
  for (std::vector<Call> *calls : {&calls_, &several_})
    for (Call &call : *calls)
      if (auto *kernel = std::get_if<Kernel>(&call.action))
        for (const auto &[argument, name] : kernel->numbers)
          for (const auto &[changed, value] : numbers)
            if (name == changed)
              kernel->arguments[argument].bits = static_cast<uint64_t>(value);
}

llvm::Error GpuProduct::useKernels(GpuModule module, const ProductRecipe &recipe) {
  GpuProduct other(gpu_, recipe.problem);
  other.module_ = std::move(module);
  if (llvm::Error error = other.makeAgain(*this, recipe, nullptr))
    return error;
  assert(llvm::none_of(
             other.calls_,
             [](const Call &call) { return std::holds_alternative<DetourCall>(call.action); }) &&
         "a detour over the host may be in use");
  formerModules_.reserve(formerModules_.size() + 1); // nothing throws after this
  formerModules_.push_back(std::exchange(module_, std::move(other.module_)));
  calls_ = std::move(other.calls_);
  several_ = std::move(other.several_);
  toRows_ = std::move(other.toRows_);
  l2Use_ = other.l2Use_;
  return llvm::Error::success();
}

} // namespace specmv
