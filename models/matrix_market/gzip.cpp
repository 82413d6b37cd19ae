// Decompresses a gzip file in memory (RFC 1952): one or more members, and zeros behind the last.
#include "models/matrix_market/text.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>
#include <zlib.h>

namespace specmv::matrixmarket {

// zlib counts in 32 bits.
constexpr size_t kMost = 1 << 30;
// derived: decimal text compresses to about a quarter
constexpr size_t kUsualRatio = 4;

static llvm::Error damaged(llvm::StringRef file, const z_stream &z) {
  return fileError(Status::badInput, file, "the gzip data is damaged after {0} bytes: {1}",
                   z.total_in, z.msg ? z.msg : "unexpected structure");
}

// Calls inflate once and moves `in` and `out` on.
static int step(z_stream &z, llvm::StringRef &in, Bytes &out) {
  z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(in.data()));
  z.avail_in = static_cast<uInt>(std::min(in.size(), kMost));
  z.next_out = reinterpret_cast<Bytef *>(out.end());
  z.avail_out = static_cast<uInt>(std::min(out.room(), kMost));
  const size_t offered = z.avail_in, room = z.avail_out;
  int status = inflate(&z, Z_NO_FLUSH);
  in = in.drop_front(offered - z.avail_in);
  out.add(room - z.avail_out);
  return status;
}

// Decompresses one member.
static llvm::Error member(z_stream &z, llvm::StringRef &in, Bytes &out, llvm::StringRef file) {
  for (;;) {
    if (out.room() == 0 && !out.grow())
      return outOfMemory(file);
    int status = step(z, in, out);
    if (status == Z_STREAM_END)
      return llvm::Error::success();
    if (status == Z_MEM_ERROR)
      return outOfMemory(file);
    if (status != Z_OK && status != Z_BUF_ERROR)
      return damaged(file, z);
    if (in.empty() && out.room() > 0)
      return fileError(Status::badInput, file, "the gzip data is cut off after {0} bytes",
                       z.total_in);
  }
}

llvm::Expected<Bytes> gunzip(llvm::StringRef packed, llvm::StringRef file) {
  z_stream z{};
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(&z, kGzipOnly) != Z_OK)
    return outOfMemory(file);
  auto end = llvm::make_scope_exit([&z] { inflateEnd(&z); });
  Bytes out;
  if (!out.reserve(packed.size() * kUsualRatio + 1))
    return outOfMemory(file);
  llvm::StringRef in = packed;
  do {
    inflateReset(&z);
    z.total_in = packed.size() - in.size(); // messages count from the start of the file
    if (llvm::Error error = member(z, in, out, file))
      return error;
  } while (in.starts_with("\x1f\x8b"));
  // Tapes are padded with zeros, which gzip ignores.
  if (in.find_first_not_of('\0') != llvm::StringRef::npos)
    return fileError(Status::badInput, file, "{0} bytes after the gzip data are not gzip",
                     in.size());
  return out;
}

} // namespace specmv::matrixmarket
