// Permutes the rows and columns of a matrix on a device, as permuted() does on the host.
#pragma once

#include "generator/order/order.h"
#include "generator/setup/workspace.h"

#include <memory>

namespace specmv {

// The source of the kernels for matrices of these types.
const KernelSource &permuteSource(IndexType index, ValueType value);

// A workspace with the permuted matrix in place of the matrix of another one, in which it keeps all
// of its arrays. What is filled there, such as the arrays of a layout, is found there too.
class PermutedWorkspace : public Workspace {
public:
  // Makes the permuted matrix, with values if packing stores them (DeviceCsr::entryTask), and the
  // array kOrderRowAt with the order.
  static llvm::Expected<std::unique_ptr<PermutedWorkspace>> make(Workspace &inner,
                                                                 const Order &order);
  // Drops all that it made, but for kOrderRowAt.
  ~PermutedWorkspace() override;

  // Gives the entries of the matrix the slots of the permuted entries, where packing stores slots.
  llvm::Error finishSlots();

  llvm::Error add(const std::string &name, ElementType type, int64_t count,
                  Contents contents) override;
  llvm::Error addScratch(const std::string &name, ElementType type, int64_t count,
                         Contents contents) override;
  llvm::Error lend(const std::string &array, const std::string &as) override;
  void drop(const std::string &name) override;
  llvm::Error launch(const KernelSource &source, const SetupKernel &kernel,
                     int64_t blocks) override;
  llvm::Error read(const std::string &name, int64_t first, int64_t count, void *to) override;
  llvm::Error write(const std::string &name, const void *from, int64_t count) override;

private:
  explicit PermutedWorkspace(Workspace &inner) : Workspace(inner.csr()), inner_(inner) {}
  llvm::Error permute(const Order &order);

  Workspace &inner_;
};

} // namespace specmv
