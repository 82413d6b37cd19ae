// Calls the conversions of cuSPARSE. Later headers deprecate some of them, so their types are
// declared here, as the descriptions and enumerations are passed.
#include "runtime/lab/yardstick/convert.h"

#include "generator/formats/cusparse/layout.h"
#include "runtime/cusparse/shared_handle.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv {

using Descr = void *; // cusparseMatDescr_t
constexpr int kZeroBase = 0, kByRows = 0;

using ToCoo = cusparseStatus_t (*)(cusparseHandle_t, const int *, int nnz, int rows, int *, int);
using MakeDescr = cusparseStatus_t (*)(Descr *);
using DestroyDescr = cusparseStatus_t (*)(Descr);
using CountBlocks = cusparseStatus_t (*)(cusparseHandle_t, int direction, int rows, int cols, Descr,
                                         const int *rowPtr, const int *col, int size, Descr,
                                         int *blockRowPtr, int *blocks);
using ToBsr = cusparseStatus_t (*)(cusparseHandle_t, int direction, int rows, int cols, Descr,
                                   const void *val, const int *rowPtr, const int *col, int size,
                                   Descr, void *blockVal, int *blockRowPtr, int *blockCol);

namespace {
// A conversion in progress. Descriptions of CSR and of BSR are the same here: general, base 0.
struct Conversion {
  const CusparseLibrary &library;
  std::shared_ptr<const GpuDevice> gpu;
  cusparseHandle_t handle;
  const Plan &plan;
  const Problem &problem;
  CusparseSize size;
  const DeviceArrays &from;
  CusparseMatrix out = {};

  void take(const Fields &fields) {
    out.layout.isOnHost = false;
    addFields(out.layout, fields);
  }
  void use(const char *name, DevicePointer at) { out.arrays.emplace_back(name, at); }
  llvm::Expected<void *> make(const char *name, int64_t elements, size_t elementBytes);
};
} // namespace

static const int *indices(DevicePointer at) { return reinterpret_cast<const int *>(at); }

// Allocates memory that is used in order on the default stream.
llvm::Expected<void *> Conversion::make(const char *name, int64_t elements, size_t elementBytes) {
  auto buffer = gpu->allocate(static_cast<size_t>(elements) * elementBytes, nullptr);
  if (!buffer)
    return buffer.takeError();
  use(name, buffer->pointer());
  out.made.push_back(std::move(*buffer));
  return reinterpret_cast<void *>(out.arrays.back().second);
}

static llvm::Error asCsr(Conversion &c) {
  c.take(cusparseCsrFields(c.plan, c.problem, c.size));
  c.use("rowPtr", c.from.rowPtr);
  c.use("col", c.from.col);
  c.use("val", c.from.val);
  return llvm::Error::success();
}

static llvm::Error toCoo(Conversion &c) {
  c.take(cusparseCooFields(c.plan, c.problem, c.size));
  auto row = c.make("row", c.size.nnz, sizeof(int));
  if (!row)
    return row.takeError();
  c.use("col", c.from.col);
  c.use("val", c.from.val);
  const auto convert = reinterpret_cast<ToCoo>(c.library.cusparseXcsr2coo);
  return c.library.check(convert(c.handle, indices(c.from.rowPtr), static_cast<int>(c.size.nnz),
                                 static_cast<int>(c.size.rows), static_cast<int *>(*row),
                                 kZeroBase),
                         "cusparseXcsr2coo");
}

// Fills col and val of the blocks, which rowPtr counts.
static llvm::Error fillBlocks(Conversion &c, Descr descr, int *blockRowPtr, int64_t blocks) {
  const auto side = static_cast<int>(c.plan.get(key::kBsrSize));
  auto col = c.make("col", blocks, sizeof(int));
  if (!col)
    return col.takeError();
  auto val = c.make("val", blocks * side * side, sizeOf(c.problem.type));
  if (!val)
    return val.takeError();
  const auto convert = reinterpret_cast<ToBsr>(
      c.problem.type == ValueType::f32 ? c.library.cusparseScsr2bsr : c.library.cusparseDcsr2bsr);
  return c.library.check(
      convert(c.handle, kByRows, static_cast<int>(c.size.rows), static_cast<int>(c.size.cols),
              descr, reinterpret_cast<const void *>(c.from.val), indices(c.from.rowPtr),
              indices(c.from.col), side, descr, *val, blockRowPtr, static_cast<int *>(*col)),
      "cusparse<t>csr2bsr");
}

static llvm::Error toBsr(Conversion &c) {
  const CusparseLibrary &library = c.library;
  const auto side = static_cast<int>(c.plan.get(key::kBsrSize));
  Descr descr = nullptr;
  if (llvm::Error error =
          library.check(reinterpret_cast<MakeDescr>(library.cusparseCreateMatDescr)(&descr),
                        "cusparseCreateMatDescr"))
    return error;
  const GpuHandle<Descr, DestroyDescr> owned(
      descr, {c.gpu, reinterpret_cast<DestroyDescr>(library.cusparseDestroyMatDescr)});
  auto rowPtr = c.make("rowPtr", c.size.rows / side + 1, sizeof(int));
  if (!rowPtr)
    return rowPtr.takeError();
  auto *blockRowPtr = static_cast<int *>(*rowPtr);
  int blocks = 0;
  const auto count = reinterpret_cast<CountBlocks>(library.cusparseXcsr2bsrNnz);
  if (llvm::Error error =
          library.check(count(c.handle, kByRows, static_cast<int>(c.size.rows),
                              static_cast<int>(c.size.cols), descr, indices(c.from.rowPtr),
                              indices(c.from.col), side, descr, blockRowPtr, &blocks),
                        "cusparseXcsr2bsrNnz"))
    return error;
  c.take(cusparseBsrFields(c.plan, c.problem, c.size, blocks));
  return fillBlocks(c, descr, blockRowPtr, blocks);
}

static bool hasNothingToDo(const CusparseLibrary & /*library*/) { return true; }

static bool hasToCoo(const CusparseLibrary &library) { return library.cusparseXcsr2coo != nullptr; }

static bool hasToBsr(const CusparseLibrary &library) {
  return library.cusparseCreateMatDescr && library.cusparseDestroyMatDescr &&
         library.cusparseXcsr2bsrNnz && library.cusparseScsr2bsr && library.cusparseDcsr2bsr;
}

namespace {
struct ConversionKind {
  const char *format;
  bool (*isIn)(const CusparseLibrary &);
  llvm::Error (*run)(Conversion &);
};
} // namespace

constexpr ConversionKind kConversions[] = {
    {"cusparse-csr", hasNothingToDo, asCsr},     {"cusparse-csr1", hasNothingToDo, asCsr},
    {"cusparse-csr2", hasNothingToDo, asCsr},    {"cusparse-op", hasNothingToDo, asCsr},
    {"cusparse-op1", hasNothingToDo, asCsr},     {"cusparse-op2", hasNothingToDo, asCsr},
    {"cusparse-generic", hasNothingToDo, asCsr}, {"cusparse-generic1", hasNothingToDo, asCsr},
    {"cusparse-coo", hasToCoo, toCoo},           {"cusparse-bsr", hasToBsr, toBsr}};

static const ConversionKind *findConversion(const Plan &plan, const CusparseLibrary &library) {
  for (const ConversionKind &kind : kConversions)
    if (plan.format == kind.format && plan.get(key::kColumn) == 32 && kind.isIn(library))
      return &kind;
  return nullptr;
}

bool cusparseConverts(const Plan &plan) {
  auto library = CusparseLibrary::get();
  if (library)
    return findConversion(plan, **library) != nullptr;
  llvm::consumeError(library.takeError());
  return false;
}

llvm::Expected<CusparseMatrix> convertOnGpu(const std::shared_ptr<const GpuDevice> &gpu,
                                            const CusparseHandle &handle, const Plan &plan,
                                            const Problem &problem, const DeviceCsr &csr,
                                            const DeviceArrays &arrays) {
  auto library = CusparseLibrary::get();
  if (!library)
    return library.takeError();
  const ConversionKind *kind = findConversion(plan, **library);
  if (!kind || csr.indexType != IndexType::i32)
    return fail(Status::missing, "{0} has no conversion from CSR for '{1}'", (*library)->version,
                plan.text());
  const GpuDevice::Current current(*gpu);
  if (llvm::Error error = current.check())
    return error;
  Conversion conversion{**library, gpu, handle.get(), plan, problem, {csr.rows, csr.cols, csr.nnz},
                        arrays,    {}};
  if (llvm::Error error = kind->run(conversion))
    return error;
  return std::move(conversion.out);
}

llvm::Expected<std::shared_ptr<const CusparseMatrix>> uploadedMatrix(const GpuDevice &gpu,
                                                                     const Layout &layout) {
  auto out = std::make_shared<CusparseMatrix>();
  out->layout.isOnHost = false;
  out->layout.integers = layout.integers;
  for (const LayoutArray &array : layout.arrays) {
    auto buffer = gpu.uploaded(array.bytes.data(), array.bytes.size());
    if (!buffer)
      return buffer.takeError();
    out->layout.add(array.name, array.type, array.count());
    out->arrays.emplace_back(array.name, buffer->pointer());
    out->made.push_back(std::move(*buffer));
  }
  return std::shared_ptr<const CusparseMatrix>(std::move(out));
}

ArrayFinder CusparseMatrix::finder() const {
  return [this](const std::string &name) -> llvm::Expected<DevicePointer> {
    const auto found =
        llvm::find_if(arrays, [&](const auto &array) { return array.first == name; });
    if (found == arrays.end())
      return fail(Status::internal, "the converted matrix has no array '{0}'", name);
    return found->second;
  };
}

} // namespace specmv
