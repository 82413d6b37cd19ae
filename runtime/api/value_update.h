// Replaces the values of a plan on a GPU, and keeps the newest while better products are made.
#pragma once

#include "runtime/api/staged_product.h"
#include "runtime/build.h"
#include "runtime/convert/to_csr.h"
#include "runtime/cuda/overlap.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace specmv {

// --- Value update --------------------------------------------------------------------------------

// Replaces the values of a plan on a GPU whose matrix keeps its pattern.

// Returns true if the plan stores values in the order of the matrix's entries, so that new values
// can simply be copied.
bool keepsOrder(const Built &built);

class ValueUpdate {
public:
  // Prepares updates for a plan that build() made for `a` on the machine's GPU. The updates store
  // plain values, so a plan with a coding must become plain first (recode.h). Unless the plan keeps
  // the order of entries, their slots are found and stay on the device. The host stores the values,
  // and takes the layout of `built`, if entries share slots, if there are more than kMaxSlots of
  // them, or if the kernels are not available.
  // `order` is the order of the values to come; null: that of the matrix. `product` has the arrays
  // of the plan.
  static llvm::Expected<ValueUpdate> make(const SourceMatrix &a, Built &built,
                                          std::shared_ptr<const EntryOrder> order,
                                          const GpuProduct &product, Machine &machine);

  // Puts new values, from the host or the GPU, on the stream; products put there later use them.
  // Waits for the stream if the values are on the host, or if the host stores them. `isMixed`
  // becomes true while the product has neither its former values nor the new ones whole; it stays
  // so if a step fails then.
  llvm::Error run(const GpuProduct &product, const void *val, StreamHandle stream, bool &isMixed);

  int64_t deviceBytes() const {
    return static_cast<int64_t>(slots_.bytes() + places_.bytes() + staged_.bytes());
  }
  // Frees the device memory in stream order and the host memory at once; the kernels stay loaded.
  void freeOn(StreamHandle stream);

private:
  explicit ValueUpdate(const CsrView &a) : nnz_(a.nnz), type_(a.valueType) {}
  llvm::Error loadKernels(Machine &machine);
  llvm::Error sortSlots(const Machine &machine);
  // Returns an empty buffer if only the host can find the slots.
  static llvm::Expected<DeviceBuffer> slotsFor(const SourceMatrix &a, const Built &built,
                                               const EntryOrder *order, const Order *rows,
                                               Machine &machine);
  llvm::Error store(const GpuProduct &product, const void *val, StreamHandle stream, bool &isMixed);
  llvm::Error storeOnGpu(const GpuProduct &product, DevicePointer val, StreamHandle stream) const;
  llvm::Error storeOnHost(const GpuProduct &product, const void *val, StreamHandle stream,
                          bool &isMixed);

  int64_t nnz_;
  ValueType type_;
  std::string valueArray_;
  std::shared_ptr<const GpuModule> kernels_;
  void *store_ = nullptr; // the storing kernel; null: entry e is element e
  void *sort_ = nullptr;  // the kernel that prepares for it
  uint32_t blocks_ = 0, blockThreads_ = 0;
  DeviceBuffer slots_, places_;             // as in StoreValuesArgs
  std::optional<Layout> onHost_;            // set if the host stores the values ...
  std::shared_ptr<const EntryOrder> order_; // ... after putting them into this order
  DeviceBuffer staged_;                     // for values on the host; made at first use
};

} // namespace specmv
