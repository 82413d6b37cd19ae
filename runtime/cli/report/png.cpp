// Makes PNGs with four bits a pixel and a palette whose entries differ in opacity.
#include "runtime/cli/report/png.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Base64.h"

#include <new>
#include <zlib.h>

namespace specmv::cli {

static void addNumber(std::string &out, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(number >> shift);
}

static const Bytef *zlibBytes(const std::string &text) {
  return reinterpret_cast<const Bytef *>(text.data());
}

static void addChunk(std::string &out, const std::string &name, const std::string &data) {
  const std::string both = name + data;
  addNumber(out, static_cast<uint32_t>(data.size()));
  out += both;
  addNumber(out, static_cast<uint32_t>(crc32(0, zlibBytes(both), static_cast<uInt>(both.size()))));
}

static std::string pngHeader(int width, int height) {
  std::string out;
  addNumber(out, static_cast<uint32_t>(width));
  addNumber(out, static_cast<uint32_t>(height));
  // 4 bits a pixel, a palette, deflate, no interlace
  return out + std::string("\x04\x03\x00\x00\x00", 5);
}

// Returns two pixels a byte; each row begins with the number of its filter, which is none.
static std::string packedRows(const std::vector<uint8_t> &levels, int width, int height) {
  std::string out;
  for (int row = 0; row < height; ++row) {
    out += '\0';
    const uint8_t *at = levels.data() + static_cast<size_t>(row) * static_cast<size_t>(width);
    for (int i = 0; i < width; i += 2)
      out += static_cast<char>(at[i] << 4 | (i + 1 < width ? at[i + 1] : 0));
  }
  return out;
}

static std::string deflated(const std::string &bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  // There is room, so that only zlib's own memory can run out.
  if (compress2(reinterpret_cast<Bytef *>(out.data()), &size, zlibBytes(bytes),
                static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  out.resize(size);
  return out;
}

std::string pngUri(const std::vector<uint8_t> &levels, int width, int height) {
  // The weakest ink is still seen on white and on black.
  constexpr int kWeakest = 90, kStrongest = 255;
  std::string colours, opacities;
  for (int level = 0; level < kInkLevels; ++level) {
    colours += "\x2f\x81\xf7";
    opacities += static_cast<char>(
        level == 0 ? 0 : kWeakest + (kStrongest - kWeakest) * (level - 1) / (kInkLevels - 2));
  }
  std::string out = "\x89PNG\r\n\x1a\n";
  addChunk(out, "IHDR", pngHeader(width, height));
  addChunk(out, "PLTE", colours);
  addChunk(out, "tRNS", opacities);
  addChunk(out, "IDAT", deflated(packedRows(levels, width, height)));
  addChunk(out, "IEND", "");
  return "data:image/png;base64," + llvm::encodeBase64(llvm::StringRef(out));
}

} // namespace specmv::cli
