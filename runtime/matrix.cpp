// Copies the arrays of a matrix to the host or to a GPU when they are first needed there.
#include "runtime/matrix.h"

#include "generator/setup/given_csr.h"
#include "models/base/error.h"
#include "models/csr_check.h"

#include <cstring>
#include <optional>

namespace specmv {

struct SourceMatrix::Copies {
  std::shared_ptr<HostCopy> host;
  std::shared_ptr<const GpuDevice> gpu; // of the buffers
  DeviceBuffer rowPtr, col, val;
  // Copies of arrays on a GPU, with narrow indices.
  DeviceBuffer narrowRowPtr, narrowCol;
  bool staysWide = false; // they could not be made

  llvm::Error upload(const CsrView &a, std::shared_ptr<const GpuDevice> to);
};

SourceMatrix::SourceMatrix(const CsrView &onHost)
    : given_(onHost), copies_(std::make_shared<Copies>()) {}

SourceMatrix::SourceMatrix(std::shared_ptr<HostCopy> owned) : SourceMatrix(owned->view) {
  copies_->host = std::move(owned);
}

SourceMatrix::SourceMatrix(const CsrView &addresses, std::shared_ptr<const GpuDevice> gpu,
                           bool isLent)
    : given_(addresses), gpu_(std::move(gpu)), isLent_(isLent),
      copies_(std::make_shared<Copies>()) {}

namespace {
// The bytes of each array.
struct Sizes {
  size_t rowPtr, col, val;
  explicit Sizes(const CsrView &a)
      : rowPtr(static_cast<size_t>(a.rows + 1) * sizeOf(a.indexType)),
        col(static_cast<size_t>(a.nnz) * sizeOf(a.indexType)),
        val(static_cast<size_t>(a.nnz) * sizeOf(a.valueType)) {}
};
} // namespace

static DevicePointer devicePointerTo(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

llvm::Error copyToHost(const GpuDevice *gpu, const void *&from, size_t bytes,
                       ZeroedArray<std::byte> &to) {
  if (!from)
    return llvm::Error::success();
  to = ZeroedArray<std::byte>(bytes);
  if (gpu) {
    if (llvm::Error error = gpu->download(to.data(), devicePointerTo(from), bytes))
      return error;
  } else if (bytes > 0) {
    std::memcpy(to.data(), from, bytes);
  }
  from = to.data();
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<HostCopy>> SourceMatrix::copyOnHost() const {
  if (copies_->host)
    return copies_->host;
  auto copy = std::make_shared<HostCopy>(HostCopy{given_, {}, {}, {}});
  CsrView &view = copy->view;
  const Sizes sizes(given_);
  if (llvm::Error error =
          inTurn([&] { return copyToHost(gpu_.get(), view.rowPtr, sizes.rowPtr, copy->rowPtr); },
                 [&] { return checkEnds(view); },
                 [&] { return copyToHost(gpu_.get(), view.col, sizes.col, copy->col); },
                 [&] { return copyToHost(gpu_.get(), view.val, sizes.val, copy->val); }))
    return error;
  copies_->host = std::move(copy);
  return copies_->host;
}

llvm::Expected<CsrView> SourceMatrix::onHost() const {
  if (!gpu_)
    return given_;
  return andThen(copyOnHost(), [](const std::shared_ptr<HostCopy> &copy) { return copy->view; });
}

static bool isNarrowed(const CsrView &a) {
  return a.indexType != setupIndex(dimensionsOf(a), a.indexType);
}

// Uploads `count` indices, with 32 bits if 64 are not needed.
static llvm::Expected<DeviceBuffer> uploadedIndices(const CsrView &a, const void *from,
                                                    int64_t count, const GpuDevice &to) {
  if (!isNarrowed(a))
    return to.uploaded(from, static_cast<size_t>(count) * sizeOf(a.indexType));
  ZeroedArray<int32_t> narrow(static_cast<size_t>(count));
  narrowOnHost(static_cast<const int64_t *>(from), count, narrow.data());
  return to.uploaded(narrow.data(), narrow.size() * sizeof(int32_t));
}

llvm::Error SourceMatrix::Copies::upload(const CsrView &a, std::shared_ptr<const GpuDevice> to) {
  const Sizes sizes(a);
  const auto copy = [&](DeviceBuffer &buffer, const void *from, size_t bytes) {
    return to->uploaded(from, bytes).moveInto(buffer);
  };
  if (llvm::Error error =
          inTurn([&] { return checkEnds(a); }, //
                 [&] { return uploadedIndices(a, a.rowPtr, a.rows + 1, *to).moveInto(rowPtr); },
                 [&] { return uploadedIndices(a, a.col, a.nnz, *to).moveInto(col); },
                 [&] { return copy(val, a.val, a.val ? sizes.val : 0); }))
    return error;
  gpu = std::move(to);
  return llvm::Error::success();
}

llvm::Expected<DeviceArrays>
SourceMatrix::onGpu(const std::shared_ptr<const GpuDevice> &gpu) const {
  if (gpu_)
    return DeviceArrays{devicePointerTo(given_.rowPtr), devicePointerTo(given_.col),
                        devicePointerTo(given_.val)};
  Copies &copies = *copies_;
  if (!copies.gpu)
    if (llvm::Error error = copies.upload(given_, gpu))
      return error;
  return DeviceArrays{copies.rowPtr.pointer(), copies.col.pointer(), copies.val.pointer()};
}

DeviceCsr SourceMatrix::deviceCsr() const {
  return {dimensionsOf(given_),
          gpu_ ? given_.indexType : setupIndex(dimensionsOf(given_), given_.indexType),
          given_.valueType};
}

DeviceCsr SourceMatrix::setupCsr() const {
  DeviceCsr out = deviceCsr();
  if (!copies_->staysWide)
    out.indexType = setupIndex(out, out.indexType);
  return out;
}

llvm::Expected<DeviceArrays> SourceMatrix::setupArrays(const std::shared_ptr<const GpuDevice> &gpu,
                                                       Narrow narrow) const {
  auto given = onGpu(gpu);
  if (!given || setupCsr().indexType == deviceCsr().indexType)
    return given;
  Copies &copies = *copies_;
  if (!copies.narrowRowPtr.pointer()) {
    auto made = narrow(deviceCsr(), *given);
    if (!made) {
      auto [status, sentence] = describe(made.takeError());
      if (!isMissing(status) && status != Status::gpuMemory)
        return failWith(status, sentence);
      copies.staysWide = true;
      return given;
    }
    std::tie(copies.narrowRowPtr, copies.narrowCol) = std::move(*made);
  }
  return DeviceArrays{copies.narrowRowPtr.pointer(), copies.narrowCol.pointer(), given->val};
}

SourceMatrix SourceMatrix::withoutCopies() const {
  if (gpu_)
    return SourceMatrix(given_, gpu_, isLent_);
  SourceMatrix out(given_);
  out.copies_->host = copies_->host; // it may own the arrays
  return out;
}

void SourceMatrix::freeOn(StreamHandle stream) const {
  for (DeviceBuffer *buffer : {&copies_->rowPtr, &copies_->col, &copies_->val,
                               &copies_->narrowRowPtr, &copies_->narrowCol})
    buffer->freeOn(stream);
}

int64_t SourceMatrix::uploadedBytes() const {
  const Copies &c = *copies_;
  return static_cast<int64_t>(c.rowPtr.bytes() + c.col.bytes() + c.val.bytes() +
                              c.narrowRowPtr.bytes() + c.narrowCol.bytes());
}

} // namespace specmv
