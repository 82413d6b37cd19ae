// cuSPARSE, opened at run time: its products as calls on the arrays of a layout. No CUDA header is
// needed to use this.
#pragma once

#include "generator/layout.h"
#include "runtime/cuda/device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace specmv {

// "cuSPARSE 12.6.3" of the library that is used; empty where there is none.
std::string cusparseVersion();
// The same of the first of these libraries that opens. Status::missing where none does, or where it
// lacks a function.
llvm::Expected<std::string> cusparseVersionOf(const std::vector<std::string> &paths);

// Success where this machine's cuSPARSE has the routine, which opens it. Status::missing where
// there is no cuSPARSE or where it is too old for the routine; internal for a name that is no
// routine's.
llvm::Error cusparseHas(const std::string &routine);

// Where the array of that name lies on the device.
using ArrayFinder = std::function<llvm::Expected<DevicePointer>(const std::string &name)>;

// One routine made ready for a layout on the device. It refers to the layout's arrays and owns its
// handle, descriptors and workspace. One thread at a time may use it.
class CusparseCall {
public:
  // Status::notApplicable where cuSPARSE does not take the matrix; missing where it lacks the
  // routine or where there is no room.
  static llvm::Expected<CusparseCall> prepare(std::shared_ptr<const GpuDevice> gpu,
                                              const std::string &routine, const Layout &layout,
                                              const ArrayFinder &arrays, ValueType type);
  CusparseCall(CusparseCall &&other) noexcept;
  CusparseCall &operator=(CusparseCall &&other) noexcept;
  ~CusparseCall();

  // Puts y = alpha A x + beta y on the stream and returns.
  llvm::Error run(double alpha, DevicePointer x, double beta, DevicePointer y,
                  StreamHandle stream) const;

  size_t workspaceBytes() const; // on the device

  // To be called when the values of the layout were replaced: a routine may have copied them.
  llvm::Error valuesChanged() const;

private:
  struct State;
  explicit CusparseCall(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace specmv
