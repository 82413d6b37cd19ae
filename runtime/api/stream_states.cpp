// Finds or makes a stream's state.
#include "runtime/api/stream_states.h"

#include "runtime/cuda/streams.h"

namespace specmv {

StreamStates::State &StreamStates::of(StreamHandle stream) {
  const StreamKey key = keyOf(stream);
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool isFirst = states_.empty();
  const auto [found, isNew] = states_.try_emplace(key);
  if (isNew)
    found->second.isFirst = isFirst;
  return found->second;
}

llvm::Expected<const GpuProduct *> StreamStates::productOf(State &state, const GpuProduct &product,
                                                           StreamHandle stream) const {
  if (!recipe_ || state.isFirst)
    return &product;
  if (!state.product) {
    if (isCaptured(product.gpu(), stream))
      return fail(
          Status::badCall,
          "the product needs its own working memory on this stream, which cannot be allocated "
          "while the stream is being captured; run one product on the stream before the capture");
    auto made = product.again(*recipe_);
    if (!made)
      return made.takeError();
    state.product = std::move(*made);
  }
  return &*state.product;
}

llvm::Error StreamStates::run(const GpuProduct &product, StreamHandle stream, Body body) {
  State &state = of(stream);
  const std::lock_guard<std::mutex> lock(state.mutex);
  auto own = productOf(state, product, stream);
  if (!own)
    return own.takeError();
  return body(**own, state.staged, state.several);
}

llvm::Error StreamStates::valuesChanged(StreamHandle stream) {
  for (auto &[key, state] : states_)
    if (state.product)
      if (llvm::Error error = state.product->valuesChanged(stream))
        return error;
  return llvm::Error::success();
}

void StreamStates::setNumbers(const NamedNumbers &numbers,
                              std::shared_ptr<const ProductRecipe> recipe) noexcept {
  recipe_ = std::move(recipe);
  for (auto &[key, state] : states_)
    if (state.product)
      state.product->setNumbers(numbers);
}

llvm::Expected<std::vector<GpuProduct>> StreamStates::remade(const GpuProduct &product,
                                                             const GpuModule &module,
                                                             const ProductRecipe &recipe) {
  std::vector<GpuProduct> out;
  for (const auto &[key, state] : states_) {
    if (!state.product)
      continue;
    auto made = product.with(module, recipe);
    if (!made)
      return made.takeError();
    out.push_back(std::move(*made));
  }
  former_.reserve(former_.size() + out.size());
  return out;
}

void StreamStates::replace(std::vector<GpuProduct> products,
                           std::shared_ptr<const ProductRecipe> recipe) noexcept {
  recipe_ = std::move(recipe);
  auto next = products.begin();
  for (auto &[key, state] : states_)
    if (state.product)
      former_.push_back(std::exchange(*state.product, std::move(*next++)));
}

void StreamStates::freeOn(StreamHandle stream) {
  for (auto &[key, state] : states_) {
    if (state.product)
      state.product->freeOn(stream);
    state.staged.freeOn(stream);
    state.several.freeOn(stream);
  }
  for (GpuProduct &product : former_)
    product.freeOn(stream);
}

int64_t StreamStates::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  int64_t sum = 0;
  for (const auto &[key, state] : states_)
    sum += state.staged.bytes() + state.several.bytes() +
           (state.product ? state.product->deviceBytes() : 0);
  for (const GpuProduct &product : former_)
    sum += product.deviceBytes();
  return sum;
}

} // namespace specmv
