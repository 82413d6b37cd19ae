// Where the bytes of a text come from: memory, a file, or a file compressed by gzip. They are given
// one after another, so that a text is refused before all of it is in memory.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/StringRef.h"

#include <memory>

namespace specmv::matrixmarket {

class Input {
public:
  Input() = default;
  Input(const Input &) = delete;
  Input &operator=(const Input &) = delete;
  virtual ~Input() = default;
  // Puts at most `room` bytes at `to` and returns how many; 0 only at the end.
  virtual llvm::Expected<size_t> read(char *to, size_t room) = 0;
};

// Text in memory, which must stay there.
std::unique_ptr<Input> inputOf(llvm::StringRef text);

// A file, read with read() and decompressed if it begins like a gzip file. A pipe is waited for.
llvm::Expected<std::unique_ptr<Input>> openInput(llvm::StringRef path);

// What gzip data holds; messages call it `file`.
llvm::Expected<std::unique_ptr<Input>> gunzipped(std::unique_ptr<Input> packed,
                                                 llvm::StringRef file);
inline constexpr llvm::StringLiteral kGzipStart = "\x1f\x8b";

} // namespace specmv::matrixmarket
