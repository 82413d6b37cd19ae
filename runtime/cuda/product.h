// Runs a packed matrix on one GPU: the steps of a plan.
#pragma once

#include "generator/fusion/fusion.h"
#include "generator/layout.h"
#include "generator/steps.h"
#include "models/problem.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/l2_turns.h"
#include "runtime/cuda/overlap.h"
#include "runtime/cuda/product_recipe.h"
#include "runtime/cusparse/cusparse.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace specmv {

// Returns the bits of alpha or beta in the type of the vectors.
uint64_t bitsOf(double value, ValueType type);

// alpha and beta: values, or their addresses on the GPU if kernels read them there
// (Problem::scalarsAreOnGpu).
struct Scalars {
  double alpha = 1, beta = 0;
  DevicePointer alphaAt = 0, betaAt = 0;

  bool areOnGpu() const { return alphaAt != 0; }
  bool mayReadY() const { return areOnGpu() || beta != 0; }
};

// Several vectors on a GPU: value j of element i is x[i strideX + j stepX] or y[i strideY + j
// stepY].
struct SeveralVectors {
  int64_t count; // number of vectors
  DevicePointer x;
  int64_t strideX, stepX;
  DevicePointer y;
  int64_t strideY, stepY;
};

// Cannot be copied, since it owns device memory. All products use the same scratch arrays, so two
// streams must not run the same GpuProduct at once, unless it has no recipe (product_recipe.h).
class GpuProduct {
public:
  // Copies the layout to the GPU, or into page-locked memory if the layout says so. If the layout
  // is not on the host, takes its arrays and scratch from where they were made. The module may be
  // empty if no step is a launch. Library calls are prepared on the stream, which must be
  // synchronized before the first product on another one.
  using TakeArray = std::function<DeviceBuffer(const std::string &name)>;
  static llvm::Expected<GpuProduct> load(std::shared_ptr<const GpuDevice> gpu, const Layout &layout,
                                         const TakeArray &take, const Steps &steps,
                                         GpuModule module, const Problem &problem,
                                         StreamHandle stream = nullptr);

  // Puts y = alpha A x + beta y on the stream and returns. The stream may be under capture.
  llvm::Error run(const Scalars &scalars, DevicePointer x, DevicePointer y,
                  StreamHandle stream) const;
  llvm::Error run(double alpha, DevicePointer x, double beta, DevicePointer y,
                  StreamHandle stream) const {
    return run({alpha, beta}, x, y, stream);
  }

  // Puts z = alpha A x + beta y on the stream, where z is not y. Call it only if the kernels
  // can, which those of a library cannot.
  bool writesApart() const;
  llvm::Error run(const Scalars &scalars, DevicePointer x, DevicePointer y, DevicePointer z,
                  StreamHandle stream) const;

  // Puts a fused step on the stream. The product must be made for one (Problem::fusion). `x` is the
  // multiplied vector, if it is one, or A x if another kernel has computed that.
  llvm::Error run(const StepOperands &step, DevicePointer x, StreamHandle stream) const;

  // Adds products with several vectors, which read the same arrays.
  llvm::Error addSeveral(const Steps &steps, const Layout &layout, const Problem &problem,
                         int64_t cols, StreamHandle stream = nullptr);
  // Puts Y = alpha A X + beta Y on the stream, the problem's number of vectors at a time. `rowsOfX`
  // is working memory of bytesOfRows() bytes, which the stream uses until the product has run.
  llvm::Error run(const Scalars &scalars, const SeveralVectors &vectors, DevicePointer rowsOfX,
                  StreamHandle stream) const;
  size_t bytesOfRows(const SeveralVectors &vectors) const;

  // Returns the same product with separate working memory, for another stream. It refers to the
  // arrays of this one, which must stay alive. Thread-safe.
  llvm::Expected<GpuProduct> again(const ProductRecipe &recipe) const;

  // Returns other products on the same arrays: with these kernels, and with working memory of their
  // own. They refer to the arrays of this one, which must stay alive.
  llvm::Expected<GpuProduct> with(GpuModule module, const ProductRecipe &recipe) const;

  // Makes later products use these kernels, which read the same arrays. The recipe has their steps,
  // and no working memory. Do not call it beside a call that uses this object. The old kernels stay
  // loaded, since graphs may contain them.
  llvm::Error useKernels(GpuModule module, const ProductRecipe &recipe);
  // Adds an array for kernels to come; takes it back, or returns an empty buffer.
  void addArray(const std::string &name, DeviceBuffer array);
  DeviceBuffer takeArray(const std::string &name) noexcept;
  // Makes later products use these numbers of the layout in place of those of the same names. Do
  // not call it beside a call that uses this object. Graphs keep the numbers that they have.
  void setNumbers(const NamedNumbers &numbers) noexcept;

  // Replaces the values on the device by those in the layout, as storeValues() wrote them. Later
  // products on the stream use them.
  llvm::Error updateValues(const Layout &layout, StreamHandle stream = nullptr) const;
  // Must be called after the values were replaced on the stream in another way.
  llvm::Error valuesChanged(StreamHandle stream) const;
  // Returns the device address of an array of the layout.
  llvm::Expected<DevicePointer> onDevice(const std::string &name) const;

  // Frees the device memory in stream order; all products must be on this stream, and none may
  // follow. The rest must be destroyed after the stream has reached this point.
  void freeOn(StreamHandle stream);

  // Gives this product and a rival one turn in L2 (L2Turn). Do not call it beside run().
  void takeTurnOf(const GpuProduct &rival);

  int64_t deviceBytes() const;
  const GpuDevice &gpu() const { return *gpu_; }

private:
  // The arguments of one product. The bits are those of alpha and beta in the kernel's type.
  struct Operands {
    Operands(const Scalars &scalars, ValueType type, DevicePointer x, DevicePointer y)
        : alpha(scalars.alpha), x(x), beta(scalars.beta), y(y),
          alphaBits(scalars.areOnGpu() ? scalars.alphaAt : bitsOf(alpha, type)),
          betaBits(scalars.areOnGpu() ? scalars.betaAt : bitsOf(beta, type)),
          scalarsAreOnGpu(scalars.areOnGpu()) {}
    double alpha;
    DevicePointer x;
    double beta;
    DevicePointer y;
    uint64_t alphaBits, betaBits; // or their addresses
    bool scalarsAreOnGpu;
    DevicePointer added = y;            // the vector that beta multiplies; the result goes to y
    const StepOperands *step = nullptr; // of a fused step
    uint64_t l2Policy = 0;              // set by run() of the calls
    // Used for several vectors only.
    SeveralVectors several = {};
    int64_t cols = 0;
    DevicePointer rowsOfX = 0;
  };
  // A kernel argument: eight bytes that hold a pointer, an integer or a value.
  struct Slot {
    Binding binding;
    uint64_t bits;
  };
  // These are the actions of steps.h with names resolved: a Kernel, a DetourCall, a CusparseCall.
  struct Kernel {
    void *function;
    std::array<uint32_t, 3> grid;
    uint32_t blockThreads, sharedBytes;
    std::vector<Slot> arguments;
    std::vector<std::pair<size_t, std::string>> numbers; // which arguments are which numbers
  };
  using Action = std::variant<Kernel, DetourCall, CusparseCall>;
  struct Call {
    Action action;
    bool waitsForHost;
  };
  struct PinnedArray {
    HostArray array;
    GpuHandle<std::byte *> memory;
  };

  GpuProduct(std::shared_ptr<const GpuDevice> gpu, const Problem &problem)
      : gpu_(std::move(gpu)), type_(vectorTypeOf(problem)),
        scalarsAreOnGpu_(problem.scalarsAreOnGpu) {}

  void useL2(std::shared_ptr<L2Turn> turn, const Layout &layout);
  llvm::Error place(const Layout &layout);
  llvm::Error makeAgain(const GpuProduct &other, const ProductRecipe &recipe, StreamHandle stream);
  llvm::Error takeMemoryOf(const GpuProduct &other, const Layout &layout, StreamHandle stream);
  llvm::Error upload(const LayoutArray &array);
  llvm::Error pin(const LayoutArray &array);
  llvm::Error add(const Step &step, const Layout &layout, StreamHandle stream,
                  std::vector<Call> &calls);
  // Puts one pass over the matrix on the stream.
  llvm::Error run(llvm::ArrayRef<Call> calls, Operands operands, StreamHandle stream) const;
  // Multiplies up to this many vectors in one pass over the matrix.
  llvm::Error runPass(const Operands &asked, StreamHandle stream) const;
  // Returns true if kernels can read X, or write Y, in place as rows.
  bool hasRows(DevicePointer at, int64_t stride, int64_t step, int64_t count) const;
  static const void *argumentOf(const Slot &slot, const Operands &operands);
  llvm::Expected<Action> bind(const Launch &launch, const Layout &layout,
                              StreamHandle stream) const;
  llvm::Expected<Action> bind(const HostDetour &detour, const Layout &layout,
                              StreamHandle stream) const;
  llvm::Expected<Action> bind(const LibraryCall &call, const Layout &layout,
                              StreamHandle stream) const;
  llvm::Expected<Slot> bind(const Argument &argument, const Layout &layout) const;
  llvm::Expected<HostArray> onHost(const std::string &name) const;

  llvm::Error put(const Kernel &kernel, const Operands &operands, StreamHandle stream) const;
  static llvm::Error put(const DetourCall &call, const Operands &operands, StreamHandle stream);
  static llvm::Error put(const CusparseCall &call, const Operands &operands, StreamHandle stream);

  std::shared_ptr<const GpuDevice> gpu_;
  ValueType type_; // type of the vectors
  bool scalarsAreOnGpu_;
  std::shared_ptr<L2Place> l2Place_;
  L2Use l2Use_; // of a product with one vector
  GpuModule module_;
  std::vector<GpuModule> formerModules_;
  std::vector<std::pair<std::string, DeviceBuffer>> buffers_;
  std::vector<std::pair<std::string, PinnedArray>> pinned_;
  std::vector<Call> calls_;
  // For products with several vectors.
  int vectors_ = 1;       // per pass
  int64_t cols_ = 0;      // rows of X
  int64_t alignment_ = 1; // of these rows
  std::optional<Kernel> toRows_;
  std::vector<Call> several_;
};

} // namespace specmv
