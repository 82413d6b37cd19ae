// Keeps text in memory, and reads whole files into it.
#include "models/lab/matrix_market/text.h"

#include "models/base/machine_memory.h"
#include "models/lab/matrix_market/input.h"

#include <algorithm>
#include <cstring>

namespace specmv::matrixmarket {

bool Bytes::reserve(size_t capacity) {
  if (capacity <= capacity_)
    return true;
  if (!memoryHolds(static_cast<int64_t>(capacity - size_)))
    return false;
  auto *larger = static_cast<char *>(std::realloc(data_.get(), capacity));
  if (!larger)
    return false;
  (void)data_.release();
  data_.reset(larger);
  capacity_ = capacity;
  return true;
}

void Bytes::dropFront(size_t count) {
  size_ -= count;
  if (count > 0)
    std::memmove(data_.get(), data_.get() + count, size_);
}

llvm::Error outOfMemory(llvm::StringRef file) {
  return fileError(Status::missing, file, "not enough memory for this matrix");
}

llvm::Expected<Bytes> readText(llvm::StringRef path, size_t most) {
  auto input = openInput(path);
  if (!input)
    return input.takeError();
  Bytes bytes;
  for (size_t capacity = 1 << 16;; capacity *= 2) {
    if (!bytes.reserve(capacity))
      return outOfMemory(path);
    while (bytes.room() > 0) {
      auto got = (*input)->read(bytes.end(), bytes.room());
      if (!got)
        return got.takeError();
      if (*got == 0)
        return bytes;
      bytes.add(*got);
      if (bytes.text().size() > most)
        return fileError(Status::badInput, path, "this has more than {0} bytes of text", most);
    }
  }
}

} // namespace specmv::matrixmarket
