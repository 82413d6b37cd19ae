// What products of one plan on several streams at once have for each stream: working memory of the
// format, and memory for vectors.
#pragma once

#include "runtime/api/several_product.h"
#include "runtime/cuda/stream_key.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <mutex>

namespace specmv {

class StreamStates {
public:
  // Without a recipe the product has no working memory, and streams have only that for vectors.
  explicit StreamStates(std::shared_ptr<const ProductRecipe> recipe) : recipe_(std::move(recipe)) {}

  // Whether products whose vectors are on the GPU need nothing of a stream's own.
  bool haveNoScratch() const { return recipe_ == nullptr; }

  using Body = llvm::function_ref<llvm::Error(const GpuProduct &product, StagedProduct &staged,
                                              SeveralProduct &several)>;
  // Calls the body with what the stream has. It is made by the stream's first product; what
  // allocates is Status::badCall while the stream is captured. The first stream gets the product
  // itself. For several threads at once; those with the same stream take turns.
  llvm::Error run(const GpuProduct &product, StreamHandle stream, Body body);

  // These not beside products.
  llvm::Error valuesChanged(StreamHandle stream);
  void freeOn(StreamHandle stream);
  int64_t bytes() const;

private:
  struct State {
    std::mutex mutex; // guards the others
    bool isFirst = false;
    std::optional<GpuProduct> product = {};
    StagedProduct staged = {};
    SeveralProduct several = {};
  };
  State &of(StreamHandle stream);
  llvm::Expected<const GpuProduct *> productOf(State &state, const GpuProduct &product,
                                               StreamHandle stream) const;

  std::shared_ptr<const ProductRecipe> recipe_;
  mutable std::mutex mutex_; // guards the map, whose elements stay where they are
  std::map<StreamKey, State> states_;
};

} // namespace specmv
