// Holds, for each stream on which products of a plan run at once, the format's working memory and
// the memory for vectors.
#pragma once

#include "runtime/api/staged_product.h"
#include "runtime/cuda/streams.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <mutex>

namespace specmv {

class StreamStates {
public:
  // Without a recipe the product has no working memory, and streams have only buffers for vectors.
  explicit StreamStates(std::shared_ptr<const ProductRecipe> recipe) : recipe_(std::move(recipe)) {}

  // Returns true if products whose vectors are on the GPU need no memory per stream.
  bool haveNoScratch() const { return recipe_ == nullptr; }

  using Body = llvm::function_ref<llvm::Error(const GpuProduct &product, StagedProduct &staged,
                                              SeveralProduct &several)>;
  // Calls the body with the stream's state, which the stream's first product makes. If that must
  // allocate while the stream is being captured, the result is Status::badCall. The first stream
  // uses the plan's own product. Thread-safe; threads with the same stream take turns.
  llvm::Error run(const GpuProduct &product, StreamHandle stream, Body body);

  // None of the functions below may run beside products. setNumbers() makes later products use
  // these numbers (GpuProduct::setNumbers()), by a recipe that has them.
  llvm::Error valuesChanged(StreamHandle stream);
  void setNumbers(const NamedNumbers &numbers,
                  std::shared_ptr<const ProductRecipe> recipe) noexcept;
  // Makes the products of all streams by another recipe, for replace() to take, which cannot fail.
  // The former ones stay, since graphs may contain them.
  llvm::Expected<std::vector<GpuProduct>> remade(const GpuProduct &product, const GpuModule &module,
                                                 const ProductRecipe &recipe);
  void replace(std::vector<GpuProduct> products,
               std::shared_ptr<const ProductRecipe> recipe) noexcept;
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
  mutable std::mutex mutex_; // guards the map; elements never move
  std::map<StreamKey, State> states_;
  std::vector<GpuProduct> former_;
};

} // namespace specmv
