// A workspace whose set-up kernels run on the host executor.
#pragma once

#include "generator/setup/workspace.h"
#include "tests/simt/memory.h"

#include <map>
#include <string>
#include <vector>

namespace specmv::simt {

// Findings of the executor become errors.
class HostWorkspace : public Workspace {
public:
  // Copies the arrays of the matrix; `val` may be null. The seed chooses the order of lanes and
  // blocks.
  HostWorkspace(const CsrView &a, unsigned seed, bool lendsCsr = false);

  llvm::Error add(const std::string &name, ElementType type, int64_t count,
                  Contents contents) override;
  // The second name gets a copy, so that a write to it would not go unnoticed in the matrix.
  llvm::Error lend(const std::string &array, const std::string &as) override;
  void drop(const std::string &name) override;
  llvm::Error launch(const KernelSource &source, const SetupKernel &kernel,
                     int64_t blocks) override;
  llvm::Error read(const std::string &name, int64_t first, int64_t count, void *to) override;
  llvm::Error write(const std::string &name, const void *from, int64_t count) override;

  // The names of the kernels launched so far.
  const std::vector<std::string> &launched() const { return launched_; }
  // Returns nullptr if there is no such array.
  const Buffer *find(const std::string &name) const;

private:
  struct Bound { // one argument: its value, or its pointer
    alignas(8) char bytes[8];
  };
  std::string bind(const Field &field, Bound &out) const;

  unsigned seed_;
  std::map<std::string, Buffer> arrays_;
  std::vector<std::string> launched_;
};

} // namespace specmv::simt
