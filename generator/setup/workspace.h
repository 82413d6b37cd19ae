// Set-up kernels profile and pack a matrix on a GPU: how they are described, the arrays that they
// work on, and prefix sums of them.
#pragma once

#include "generator/emit.h"
#include "models/csr.h"
#include "templates/setup/sizes.cuh"

#include "llvm/Support/Error.h"

namespace specmv {

// --- Kernels -------------------------------------------------------------------------------------

// Set-up kernels profile and pack a matrix on a GPU. Their numbers are arguments, so one compiled
// object is used for all plans with the same types.

// One kernel with its arguments: the value of each number, and the name of each array in the
// workspace.
struct SetupKernel {
  Kernel kernel;
  Fields fields;
};

// The kernel that calls `function` with its argument struct; its name is specmv_<function>.
SetupKernel setupKernel(const char *function, const char *args, std::vector<ElementType> types,
                        Fields fields, int64_t blockThreads = kSetupBlock);

// The source of set-up kernels; `purpose` goes into the comment on top. The source does not depend
// on the numbers and sizes in their fields.
KernelSource emitSetup(const std::string &purpose, const std::vector<std::string> &headers,
                       const std::vector<SetupKernel> &kernels);

// --- Workspace -----------------------------------------------------------------------------------

// The arrays of set-up kernels on a device, by name: those of a matrix and those that are made from
// it. The runtime has a workspace for a GPU, the tests have one for their host executor.

// The matrix on the device. Its arrays have these names in the workspace.
struct DeviceCsr : MatrixSize {
  IndexType indexType = IndexType::i32;
  ValueType valueType = ValueType::f64;
  // Tells packing what to do with each entry: kStoreValue or another task of setup/sizes.cuh.
  int entryTask = kStoreValue;
};
constexpr const char *kCsrRowPtr = "csrRowPtr", *kCsrCol = "csrCol", *kCsrVal = "csrVal";

enum class Contents : uint8_t { undefined, zeros };

class Workspace {
public:
  explicit Workspace(const DeviceCsr &csr, bool lendsCsr = false)
      : csr_(csr), lendsCsr_(lendsCsr) {}
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;
  virtual ~Workspace() = default;

  const DeviceCsr &csr() const { return csr_; }
  void setEntryTask(int task) { csr_.entryTask = task; }
  // Whether the arrays of the matrix outlive the layouts made from them, so that a layout need not
  // copy them.
  bool lendsCsr() const { return lendsCsr_; }

  // Adds an array. Status::gpuMemory if the device does not have the memory.
  virtual llvm::Error add(const std::string &name, ElementType type, int64_t count,
                          Contents contents) = 0;
  // Adds an array that no layout has and that is not needed after the set-up. Small arrays share
  // memory, since an allocation takes as long as a launch.
  virtual llvm::Error addScratch(const std::string &name, ElementType type, int64_t count,
                                 Contents contents) {
    return add(name, type, count, contents);
  }
  // Gives an array of the matrix a second name, under which layouts have it.
  virtual llvm::Error lend(const std::string &array, const std::string &as) = 0;
  // Frees the memory of an array as soon as the kernels launched so far have ended.
  virtual void drop(const std::string &name) = 0;
  // Launches a kernel of the source with `blocks` blocks; does nothing for 0 blocks. Launches and
  // the calls below take effect in the order of the calls.
  virtual llvm::Error launch(const KernelSource &source, const SetupKernel &kernel,
                             int64_t blocks) = 0;
  // Copies elements first .. first + count - 1 of an array to the host and waits for them.
  virtual llvm::Error read(const std::string &name, int64_t first, int64_t count, void *to) = 0;
  // Copies `count` elements, which are in pageable memory, to the begin of an array.
  virtual llvm::Error write(const std::string &name, const void *from, int64_t count) = 0;

private:
  DeviceCsr csr_;
  bool lendsCsr_;
};

// Returns a layout of these fields whose arrays are not on the host.
Layout layoutOnGpu(const Fields &fields);
// Adds the arrays and the working memory of a layout that is made on the device, except values that
// packing does not fill.
llvm::Error addArrays(Workspace &workspace, const Layout &layout);

// Reads one element as an integer.
llvm::Expected<int64_t> readNumber(Workspace &workspace, const std::string &name, ElementType type,
                                   int64_t at);

// --- Scan ----------------------------------------------------------------------------------------

// Prefix sums on the device: turns an array of counts into places (templates/setup/scan.cuh).

// The header and kernels for counts of one type.
constexpr const char *kScanHeader = "setup/scan.cuh";
std::vector<SetupKernel> scanKernels(const char *array, ElementType type);

// Replaces each of the `count` elements by the sum of the elements before it. The last element is
// no count; it becomes the sum of all. Returns this sum, even if it does not fit the type.
llvm::Expected<int64_t> scanCounts(Workspace &workspace, const KernelSource &source,
                                   const char *array, ElementType type, int64_t count);
// Like scanCounts(), but without returning the sum, so that the host need not wait.
llvm::Error placeCounts(Workspace &workspace, const KernelSource &source, const char *array,
                        ElementType type, int64_t count);

} // namespace specmv
