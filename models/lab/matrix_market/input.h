// The source of a text's bytes: memory, a file, or a file compressed by gzip. The bytes come piece
// by piece, so that a bad text can be refused before all of it is in memory.
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
  // Puts at most `room` bytes at `to` and returns their number; 0 only at the end.
  virtual llvm::Expected<size_t> read(char *to, size_t room) = 0;
};

// Reads text in memory, which must stay there.
std::unique_ptr<Input> inputOf(llvm::StringRef text);

// Reads a file with read(), and decompresses it if it begins like a gzip file. Waits for a pipe.
llvm::Expected<std::unique_ptr<Input>> openInput(llvm::StringRef path);

// Reads the content of gzip data; messages call it `file`.
llvm::Expected<std::unique_ptr<Input>> gunzipped(std::unique_ptr<Input> packed,
                                                 llvm::StringRef file);
inline constexpr llvm::StringLiteral kGzipStart = "\x1f\x8b";

} // namespace specmv::matrixmarket
