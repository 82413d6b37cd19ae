// Compresses the output of a stream and passes it on to a file.
#include "models/lab/matrix_market/gzip_write.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>
#include <array>
#include <zlib.h>

namespace specmv {

namespace {
// Compresses its input and writes the result to `out`; the destructor writes the end of the data.
class PackingStream : public llvm::raw_ostream {
public:
  PackingStream(z_stream &z, llvm::raw_ostream &out) : z_(z), out_(out) {
    SetBufferSize(1 << 20); // few calls of deflate
  }
  ~PackingStream() override {
    flush();
    pack("", Z_FINISH);
  }

private:
  void write_impl(const char *bytes, size_t size) override {
    constexpr size_t kMost = 1 << 30; // zlib counts in 32 bits
    for (size_t at = 0; at < size; at += kMost)
      pack({bytes + at, std::min(size - at, kMost)}, Z_NO_FLUSH);
  }
  uint64_t current_pos() const override { return z_.total_in; }

  void pack(llvm::StringRef bytes, int flush) {
    z_.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
    z_.avail_in = static_cast<uInt>(bytes.size());
    do {
      z_.next_out = reinterpret_cast<Bytef *>(packed_.data());
      z_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&z_, flush); // cannot fail: the state is valid and there is room
      out_.write(packed_.data(), packed_.size() - z_.avail_out);
    } while (z_.avail_out == 0);
  }

  z_stream &z_;
  llvm::raw_ostream &out_;
  std::array<char, 1 << 16> packed_{};
};
} // namespace

llvm::Error writeWholeGzip(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write) {
  z_stream z{};
  constexpr int kGzip = 16 + MAX_WBITS, kUsualMemory = 8;
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kUsualMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return fail(Status::missing, "{0}: error: not enough memory to compress the file", path);
  auto end = llvm::make_scope_exit([&z] { deflateEnd(&z); });
  return writeWholeFile(path, [&](llvm::raw_ostream &out) {
    PackingStream packing(z, out);
    write(packing);
  });
}

} // namespace specmv
