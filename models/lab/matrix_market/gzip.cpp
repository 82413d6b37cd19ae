// Decompresses gzip data as it arrives (RFC 1952): one or more members, and zeros after the last.
#include "models/lab/matrix_market/text.h"

#include <algorithm>
#include <cstring>
#include <vector>
#include <zlib.h>

namespace specmv::matrixmarket {

// derived: few system calls, and the buffer stays in the cache
constexpr size_t kPackedBytes = 256 << 10;
constexpr int kGzipOnly = 16 + MAX_WBITS;

namespace {

class GzipInput : public Input {
public:
  GzipInput(std::unique_ptr<Input> packed, llvm::StringRef file)
      : packed_(std::move(packed)), file_(file), buffer_(kPackedBytes) {}
  ~GzipInput() override { inflateEnd(&z_); }

  bool begin() { return inflateInit2(&z_, kGzipOnly) == Z_OK; }
  llvm::Expected<size_t> read(char *to, size_t room) override;

private:
  // The number of bytes of the file that were decompressed.
  size_t taken() const { return offered_ - z_.avail_in; }
  llvm::StringRef unread() const {
    return {reinterpret_cast<const char *>(z_.next_in), z_.avail_in};
  }
  llvm::Error refill(size_t least);
  llvm::Error step();
  llvm::Error endMember();
  llvm::Error checkPadding();

  std::unique_ptr<Input> packed_;
  std::string file_;
  std::vector<char> buffer_;
  z_stream z_{};
  size_t offered_ = 0; // bytes of the file that were read into the buffer
  bool inputEnded_ = false, ended_ = false;
};

} // namespace

// Reads until at least `least` bytes are unread or the input ends.
llvm::Error GzipInput::refill(size_t least) {
  size_t size = z_.avail_in;
  if (size >= least)
    return llvm::Error::success();
  if (size > 0)
    std::memmove(buffer_.data(), z_.next_in, size);
  while (size < least && !inputEnded_) {
    auto got = packed_->read(buffer_.data() + size, buffer_.size() - size);
    if (!got)
      return got.takeError();
    inputEnded_ = *got == 0;
    size += *got;
    offered_ += *got;
  }
  z_.next_in = reinterpret_cast<Bytef *>(buffer_.data());
  z_.avail_in = static_cast<uInt>(size);
  return llvm::Error::success();
}

// Calls inflate once.
llvm::Error GzipInput::step() {
  if (llvm::Error error = refill(1))
    return error;
  const int status = inflate(&z_, Z_NO_FLUSH);
  if (status == Z_STREAM_END)
    return endMember();
  if (status == Z_MEM_ERROR)
    return outOfMemory(file_);
  if (status != Z_OK && status != Z_BUF_ERROR)
    return fileError(Status::badInput, file_, "the gzip data is damaged after {0} bytes: {1}",
                     taken(), z_.msg ? z_.msg : "unexpected structure");
  if (inputEnded_ && z_.avail_in == 0 && z_.avail_out > 0)
    return fileError(Status::badInput, file_, "the gzip data is cut off after {0} bytes", taken());
  return llvm::Error::success();
}

// Begins the next member if there is one.
llvm::Error GzipInput::endMember() {
  if (llvm::Error error = refill(kGzipStart.size()))
    return error;
  if (unread().starts_with(kGzipStart)) {
    inflateReset(&z_);
    return llvm::Error::success();
  }
  ended_ = true;
  return checkPadding();
}

// Tapes are padded with zeros, which gzip ignores. Any other rest is counted up to a limit, for the
// message.
llvm::Error GzipInput::checkPadding() {
  constexpr size_t kMost = 64 << 20; // more than the padding of a tape
  bool zeros = true;
  size_t count = 0;
  while (z_.avail_in > 0 && count <= kMost) {
    zeros &= unread().find_first_not_of('\0') == llvm::StringRef::npos;
    count += z_.avail_in;
    z_.avail_in = 0;
    if (llvm::Error error = refill(1))
      return error;
  }
  if (zeros && count <= kMost)
    return llvm::Error::success();
  return fileError(Status::badInput, file_, "{0}{1} bytes after the gzip data are not gzip",
                   count <= kMost ? "" : "more than ", std::min(count, kMost));
}

llvm::Expected<size_t> GzipInput::read(char *to, size_t room) {
  constexpr size_t kMost = 1 << 30; // zlib counts in 32 bits
  room = std::min(room, kMost);
  z_.next_out = reinterpret_cast<Bytef *>(to);
  z_.avail_out = static_cast<uInt>(room);
  while (!ended_ && z_.avail_out > 0)
    if (llvm::Error error = step())
      return error;
  return room - z_.avail_out;
}

llvm::Expected<std::unique_ptr<Input>> gunzipped(std::unique_ptr<Input> packed,
                                                 llvm::StringRef file) {
  auto input = std::make_unique<GzipInput>(std::move(packed), file);
  if (!input->begin())
    return outOfMemory(file);
  return input;
}

} // namespace specmv::matrixmarket
