// Finds the slots of a plan's entries on the GPU, stores values there, and copies values when they
// come.
#include "runtime/api/value_update.h"

#include "generator/setup/packing.h"
#include "models/base/error.h"
#include "runtime/api/kept_order.h"
#include "runtime/api/newer_values.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/memory_pool.h"
#include "runtime/kernels/objects.h"
#include "runtime/plan/session.h"

#include <cstring>
#include <numeric>

namespace specmv {

// --- Value update --------------------------------------------------------------------------------

// Finds the slots of a plan's entries on the GPU, and stores values there.

bool keepsOrder(const Built &built) {
  const Packing *packing = findFormat(built.plan.format)->packing;
  if (!built.plan.order.empty())
    return false;
  return built.layout.isOnHost ? built.layout.slots.empty() : !packing || packing->keepsOrder;
}

static size_t valueBytes(int64_t nnz, ValueType type) {
  return static_cast<size_t>(nnz) * sizeOf(type);
}

// Finds the slots of a plan that was packed on the GPU. Returns an empty buffer if only the host
// can find them.
static llvm::Expected<DeviceBuffer> slotsOnGpu(const SourceMatrix &a, const Built &built,
                                               const Order *rows, Machine &machine) {
  Session session(a, {}, machine);
  auto done = session.onGpu([&](Workspace &w) -> llvm::Expected<std::optional<bool>> {
    return findSlots(w, *findFormat(built.plan.format), built.plan, built.problem, rows);
  });
  return andThen(std::move(done), [&](std::optional<bool> isFound) -> llvm::Expected<DeviceBuffer> {
    DeviceBuffer slots = isFound.value_or(false) ? session.take(kEntrySlots) : DeviceBuffer();
    if (llvm::Error error = session.finish())
      return error;
    return slots;
  });
}

static llvm::Expected<DeviceBuffer> slotsOf(const SourceMatrix &a, const Built &built,
                                            const Order *rows, Machine &machine) {
  const Slots &slots = built.layout.slots;
  return built.layout.isOnHost
             ? machine.gpu->uploaded(slots.data(), slots.size() * sizeof(uint32_t))
             : slotsOnGpu(a, built, rows, machine);
}

// Returns the layout on the host, with its slots.
static llvm::Expected<Layout> hostLayout(const SourceMatrix &a, Built &built, const Order *rows) {
  if (built.layout.isOnHost)
    return std::move(built.layout);
  return andThen(a.onHost(),
                 [&](const CsrView &view) { return pack(view, built.plan, built.problem, rows); });
}

// Leaves `store_` null if the kernel is not available.
llvm::Error ValueUpdate::loadKernels(Machine &machine) {
  auto loaded = setupKernelLoader(machine)(slotsSource(type_));
  if (!loaded) {
    auto [status, sentence] = describe(loaded.takeError());
    return isMissing(status) ? llvm::Error::success() : failWith(status, sentence);
  }
  const DeviceCsr csr{{0, 0, nnz_}, IndexType::i32, type_};
  const SetupLaunch launch = valueStoring(csr, "");
  auto store = (*loaded)->function(launch.kernel.kernel.name),
       sort = (*loaded)->function(slotSorting(csr).kernel.kernel.name);
  if (!store || !sort)
    return llvm::joinErrors(store.takeError(), sort.takeError());
  kernels_ = std::move(*loaded);
  store_ = *store;
  sort_ = *sort;
  blocks_ = static_cast<uint32_t>(launch.blocks);
  blockThreads_ = static_cast<uint32_t>(launch.kernel.kernel.blockThreads);
  return llvm::Error::success();
}

// Launches with the same grid as the storing kernel.
llvm::Error ValueUpdate::sortSlots(const Machine &machine) {
  const GpuDevice &gpu = *machine.gpu;
  auto places = gpu.allocate(static_cast<size_t>(nnz_) * sizeof(uint16_t));
  if (!places)
    return places.takeError();
  places_ = std::move(*places);
  const uint64_t values[] = {slots_.pointer(), places_.pointer(), static_cast<uint64_t>(nnz_)};
  const void *const arguments[] = {&values[0], &values[1], &values[2]};
  if (llvm::Error error =
          gpu.launch(sort_, {blocks_, 1, 1}, blockThreads_, 0, arguments, machine.setupStream))
    return error;
  return gpu.synchronize(machine.setupStream);
}

// Returns the slots of values that arrive in another order; without slots, entry e has slot e.
static llvm::Expected<DeviceBuffer> slotsInOrder(const Machine &machine, const DeviceBuffer &slots,
                                                 const EntryOrder &order) {
  const GpuDevice &gpu = *machine.gpu;
  std::vector<uint32_t> own(order.size()), out(order.size());
  std::iota(own.begin(), own.end(), 0U);
  const size_t bytes = own.size() * sizeof(uint32_t);
  if (slots.bytes() > 0) {
    if (llvm::Error error = gpu.download(own.data(), slots.pointer(), bytes, machine.setupStream))
      return error;
    if (llvm::Error error = gpu.synchronize(machine.setupStream))
      return error;
  }
  for (size_t e = 0; e < order.size(); ++e)
    out[static_cast<size_t>(order[e])] = own[e];
  return gpu.uploaded(out.data(), bytes);
}

llvm::Expected<DeviceBuffer> ValueUpdate::slotsFor(const SourceMatrix &a, const Built &built,
                                                   const EntryOrder *order, const Order *rows,
                                                   Machine &machine) {
  DeviceBuffer slots;
  if (!keepsOrder(built)) {
    auto found = slotsOf(a, built, rows, machine);
    if (!found || found->bytes() == 0)
      return found;
    slots = std::move(*found);
  }
  if (!order)
    return slots;
  return slotsInOrder(machine, slots, *order);
}

llvm::Expected<ValueUpdate> ValueUpdate::make(const SourceMatrix &a, Built &built,
                                              std::shared_ptr<const EntryOrder> order,
                                              const GpuProduct &product, Machine &machine) {
  ValueUpdate out(a.given());
  out.valueArray_ = built.layout.valueArray;
  if (out.nnz_ == 0 || (keepsOrder(built) && !order))
    return out;
  auto rows = keptOrder(built.plan, product, a.given().rows);
  if (!rows)
    return rows.takeError();
  const auto findSlots = [&] {
    return out.store_ && !built.layout.slotsAreShared && out.nnz_ <= kMaxSlots
               ? slotsFor(a, built, order.get(), pointerTo(*rows), machine).moveInto(out.slots_)
               : llvm::Error::success();
  };
  // Without slots on the GPU the host stores the values.
  const auto prepareToStore = [&] {
    return out.slots_.bytes() > 0 ? out.sortSlots(machine)
                                  : hostLayout(a, built, pointerTo(*rows)).moveInto(out.onHost_);
  };
  if (llvm::Error error =
          inTurn([&] { return out.loadKernels(machine); }, findSlots, prepareToStore))
    return error;
  if (out.onHost_)
    out.order_ = std::move(order);
  return out;
}

llvm::Error ValueUpdate::storeOnGpu(const GpuProduct &product, DevicePointer val,
                                    StreamHandle stream) const {
  auto to = product.onDevice(valueArray_);
  if (!to)
    return to.takeError();
  if (!store_)
    return product.gpu().copy(*to, val, valueBytes(nnz_, type_), stream);
  // Laid out like StoreValuesArgs.
  const uint64_t values[] = {slots_.pointer(), places_.pointer(), val, *to,
                             static_cast<uint64_t>(nnz_)};
  const void *const arguments[] = {&values[0], &values[1], &values[2], &values[3], &values[4]};
  return product.gpu().launch(store_, {blocks_, 1, 1}, blockThreads_, 0, arguments, stream);
}

llvm::Error ValueUpdate::storeOnHost(const GpuProduct &product, const void *val,
                                     StreamHandle stream, bool &isMixed) {
  ZeroedArray<std::byte> copy;
  if (isDevicePointer(val)) {
    copy = ZeroedArray<std::byte>(valueBytes(nnz_, type_));
    if (llvm::Error error = product.gpu().download(
            copy.data(), reinterpret_cast<DevicePointer>(val), copy.size(), stream))
      return error;
    val = copy.data();
  }
  // This also waits for products that read the values from host memory.
  if (llvm::Error error = product.gpu().synchronize(stream))
    return error;
  ZeroedArray<std::byte> ordered;
  if (order_) {
    ordered = ZeroedArray<std::byte>(valueBytes(nnz_, type_));
    reorderValues(order_.get(), type_, nnz_, val, ordered.data());
    val = ordered.data();
  }
  CsrView a;
  a.nnz = nnz_;
  a.valueType = type_;
  a.val = val;
  storeValues(*onHost_, a);
  isMixed = true;
  return product.updateValues(*onHost_, stream);
}

void ValueUpdate::freeOn(StreamHandle stream) {
  slots_.freeOn(stream);
  places_.freeOn(stream);
  staged_.freeOn(stream);
  onHost_.reset();
  order_.reset();
}

// One launch or copy stores all values.
llvm::Error ValueUpdate::store(const GpuProduct &product, const void *val, StreamHandle stream,
                               bool &isMixed) {
  if (onHost_)
    return storeOnHost(product, val, stream, isMixed);
  const GpuDevice &gpu = product.gpu();
  const CallerVector given{const_cast<void *>(val), valueBytes(nnz_, type_), "val"};
  auto from = deviceAddressOf(gpu, given, true, staged_, stream);
  if (!from)
    return from.takeError();
  if (llvm::Error error = storeOnGpu(product, *from, stream))
    return error;
  isMixed = true;
  if (staged_.bytes() > 0 && *from == staged_.pointer())
    if (llvm::Error error = gpu.synchronize(stream))
      return error;
  return product.valuesChanged(stream);
}

llvm::Error ValueUpdate::run(const GpuProduct &product, const void *val, StreamHandle stream,
                             bool &isMixed) {
  if (nnz_ == 0)
    return llvm::Error::success();
  if (llvm::Error error = store(product, val, stream, isMixed))
    return error;
  isMixed = false;
  return llvm::Error::success();
}

// --- Newer values --------------------------------------------------------------------------------

// Copies values when they come, and stores the newest in products that are made on another thread.

// The memory may be freed only behind the last copy to it.
NewerValues::~NewerValues() {
  if (!newest_ || !newest_->behind)
    return;
  const GpuDevice::Current current(*newest_->gpu);
  if (current.isCurrent())
    driver().cuEventSynchronize(static_cast<CUevent>(newest_->behind.get()));
}

// Updates of a plan are in an order, and so are their copies.
llvm::Error NewerValues::copyOnGpu(Copy &to, const void *val, size_t bytes, StreamHandle stream) {
  const GpuDevice &gpu = *to.gpu;
  if (!to.behind)
    if (llvm::Error error =
            inTurn([&] { return gpu.allocate(bytes).moveInto(to.onGpu); },
                   [&] { return makeEvent(gpu, EventKind::ordering).moveInto(to.behind); }))
      return error;
  return inTurn(
      [&] {
        return gpu.copy(to.onGpu.pointer(), reinterpret_cast<DevicePointer>(val), bytes, stream);
      },
      [&] { return record(gpu, to.behind.get(), stream); });
}

llvm::Expected<bool> NewerValues::keep(const GpuDevice &gpu, const void *val, size_t bytes,
                                       StreamHandle stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (isMade_)
    return false;
  if (!newest_)
    newest_.emplace(Copy{.gpu = gpu.shared_from_this()});
  if (isDevicePointer(val)) {
    if (llvm::Error error = copyOnGpu(*newest_, val, bytes, stream))
      return error;
    newest_->onHost = {};
  } else {
    newest_->onHost = ZeroedArray<std::byte>(bytes);
    std::memcpy(newest_->onHost.data(), val, bytes);
  }
  return true;
}

// No more values can come once there are no newer ones.
std::optional<NewerValues::Copy> NewerValues::takeNewest() {
  const std::lock_guard<std::mutex> lock(mutex_);
  isMade_ = !newest_;
  return std::exchange(newest_, std::nullopt);
}

llvm::Error NewerValues::give(PlanProducts &products, const Copy &values, StreamHandle stream) {
  const GpuProduct &product = *products.gpu;
  if (values.behind)
    if (llvm::Error error = waitFor(product.gpu(), values.behind.get(), stream))
      return error;
  const void *const val = values.onHost.empty()
                              ? reinterpret_cast<const void *>(values.onGpu.pointer())
                              : static_cast<const void *>(values.onHost.data());
  bool isMixed = false;
  return products.update->run(product, val, stream, isMixed);
}

llvm::Error NewerValues::giveTo(PlanProducts &products, StreamHandle stream) {
  while (const std::optional<Copy> values = takeNewest()) {
    llvm::Error error = give(products, *values, stream);
    // The copy is freed when the stream does not read it any more.
    error = llvm::joinErrors(std::move(error), products.gpu->gpu().synchronize(stream));
    if (error)
      return error;
  }
  return llvm::Error::success();
}

int64_t NewerValues::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return newest_ ? static_cast<int64_t>(newest_->onGpu.bytes()) : 0;
}

} // namespace specmv
