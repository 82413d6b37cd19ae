// cuSPARSE, opened at run time: its products as calls on the arrays of a layout. Including this
// file needs no CUDA header.
#pragma once

#include "generator/layout.h"
#include "runtime/cuda/device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace specmv {

// "cuSPARSE 12.6.3", the version of the library that is used; empty if there is none.
std::string cusparseVersion();
// The version of the first of these libraries that opens. Status::missing if none opens, or if it
// lacks a function.
llvm::Expected<std::string> cusparseVersionOf(const std::vector<std::string> &paths);

// Whether a call of cuSPARSE has opened it already.
bool cusparseIsOpen();

// Success if this machine's cuSPARSE has the routine; opens the library. Status::missing if there
// is no cuSPARSE or if it is too old for the routine; internal if no routine has that name.
llvm::Error cusparseHas(const std::string &routine);

// Gives the device address of the array of that name.
using ArrayFinder = std::function<llvm::Expected<DevicePointer>(const std::string &name)>;

// A handle of cuSPARSE, made ahead of the calls that share it, of which one may run at a time. One
// that another user has let go is taken before a new one is made.
struct CusparseHandle;
llvm::Expected<std::shared_ptr<const CusparseHandle>>
makeCusparseHandle(std::shared_ptr<const GpuDevice> gpu);

// What a program has when it prepares a call. What it lacks is made: the handle, and vectors that
// only the preparation uses.
struct CusparseGiven {
  std::shared_ptr<const CusparseHandle> handle = nullptr;
  DevicePointer x = 0, y = 0;
  StreamHandle stream = nullptr; // on which it is prepared
};

// One routine prepared for a layout on the device. It refers to the layout's arrays and owns its
// descriptors and workspace. Only one thread at a time may use it.
class CusparseCall {
public:
  // Status::notApplicable if cuSPARSE does not accept the matrix; missing if it lacks the routine
  // or if there is not enough memory. The call is for the stream of the
  // preparation until that was synchronized.
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

  // Frees that in order on the stream; no call may follow. What is left is to be destroyed when the
  // stream has come so far. A call of SpMVOp first waits for the stream, since its plan refers to
  // memory that it was given.
  void freeOn(StreamHandle stream);

  // Must be called after the values of the layout were replaced on this stream: a routine may have
  // copied them. Then it waits for the stream.
  llvm::Error valuesChanged(StreamHandle stream) const;

private:
  struct State;
  explicit CusparseCall(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace specmv
