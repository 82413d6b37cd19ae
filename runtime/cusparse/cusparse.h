// Wraps cuSPARSE, which is opened at run time: its products as calls on the arrays of a layout.
// Including this file needs no CUDA header.
#pragma once

#include "generator/layout.h"
#include "runtime/cuda/device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace specmv {

// Returns the version of the library in use, "cuSPARSE 12.6.3"; empty if there is none.
std::string cusparseVersion();
// Returns the version of the first of these libraries that opens. Status::missing if none opens, or
// if it lacks a function.
llvm::Expected<std::string> cusparseVersionOf(const std::vector<std::string> &paths);

// Returns true if an earlier call has opened cuSPARSE.
bool cusparseIsOpen();

// Success if this machine's cuSPARSE has the routine; opens the library. Status::missing if there
// is no cuSPARSE or if it is too old for the routine; internal if no routine has that name.
llvm::Error cusparseHas(const std::string &routine);

// Returns the device address of the array of that name.
using ArrayFinder = std::function<llvm::Expected<DevicePointer>(const std::string &name)>;

// Makes a handle of cuSPARSE, to be shared by calls of which one may run at a time. Reuses a
// released handle if there is one.
struct CusparseHandle;
llvm::Expected<std::shared_ptr<const CusparseHandle>>
makeCusparseHandle(std::shared_ptr<const GpuDevice> gpu);

// Optional resources of the caller for preparing a call. Missing ones are made: the handle, and
// vectors that only the preparation uses.
struct CusparseGiven {
  std::shared_ptr<const CusparseHandle> handle = nullptr;
  DevicePointer x = 0, y = 0;
  StreamHandle stream = nullptr; // the preparation runs on it
};

// One routine prepared for a layout on the device. It refers to the layout's arrays and owns its
// descriptors and workspace. Only one thread at a time may use it.
class CusparseCall {
public:
  // Status::notApplicable if cuSPARSE does not accept the matrix; missing if it lacks the routine
  // or if memory runs out. Until the preparation's stream has been synchronized, use the call on
  // that stream only.
  static llvm::Expected<CusparseCall> prepare(std::shared_ptr<const GpuDevice> gpu,
                                              const std::string &routine, const Layout &layout,
                                              const ArrayFinder &arrays, ValueType type,
                                              const CusparseGiven &given = {});
  CusparseCall(CusparseCall &&other) noexcept;
  CusparseCall &operator=(CusparseCall &&other) noexcept;
  ~CusparseCall();

  // Puts y = alpha A x + beta y on the stream and returns.
  llvm::Error run(double alpha, DevicePointer x, double beta, DevicePointer y,
                  StreamHandle stream) const;

  size_t workspaceBytes() const; // on the device

  // Frees the workspace in stream order; no call may follow. The rest must be destroyed when the
  // stream has reached this point. A call of SpMVOp or SpMVGeneric first waits for the stream,
  // since its description refers to the freed memory.
  void freeOn(StreamHandle stream);

  // Must be called after the values of the layout were replaced on this stream, because a routine
  // may have copied them. In that case it waits for the stream.
  llvm::Error valuesChanged(StreamHandle stream) const;

private:
  struct State;
  explicit CusparseCall(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace specmv
