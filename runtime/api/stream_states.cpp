// Finds or makes a stream's state.
#include "runtime/api/stream_states.h"

#include "runtime/cuda/graph.h"

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

void StreamStates::freeOn(StreamHandle stream) {
  for (auto &[key, state] : states_) {
    if (state.product)
      state.product->freeOn(stream);
    state.staged.freeOn(stream);
    state.several.freeOn(stream);
  }
}

int64_t StreamStates::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  int64_t sum = 0;
  for (const auto &[key, state] : states_)
    sum += state.several.bytes() + (state.product ? state.product->deviceBytes() : 0);
  return sum;
}

} // namespace specmv
