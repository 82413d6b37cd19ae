// Writes a picture as PNG (W3C, 2003): one hue whose strength says how much a cell has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace specmv::cli {

// The strengths of a pixel: 0 is transparent, so that the picture suits light and dark pages.
constexpr int kInkLevels = 16;

// Returns a PNG of these strengths, row by row, as a URI for an image's address; width and height
// are at least 1.
std::string pngUri(const std::vector<uint8_t> &levels, int width, int height);

} // namespace specmv::cli
