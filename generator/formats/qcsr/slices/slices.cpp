// Sorts the segments of a tile by length, cuts them into slices and distributes the slices over
// warps.
#include "generator/formats/qcsr/slices/slices.h"

#include <algorithm>

namespace specmv {

// Distributes the slices of a staged tile over the warps of its block: the longest slice left goes
// to the warp with the fewest lines so far.
static void deal(llvm::MutableArrayRef<QcsrSlice> slices, int64_t warps) {
  std::vector<int64_t> lines(warps);
  for (QcsrSlice &slice : slices) {
    const auto least = std::min_element(lines.begin(), lines.end());
    slice.stream += least - lines.begin();
    *least += slice.width();
  }
}

// Sorts the segments of a tile and appends its slices.
static void sliceTile(const QcsrSliceShape &shape, llvm::MutableArrayRef<QcsrSegment> tile,
                      QcsrSlices &out) {
  qcsrSort(tile, [](const QcsrSegment &s) { return -s.length(); });
  const size_t first = out.slices.size();
  const int64_t stream = shape.stage ? out.tiles * shape.warps : 0;
  for (size_t s = 0; s < tile.size(); s += kQcsrLanes)
    out.slices.push_back(
        {stream, tile.slice(s, std::min<size_t>(kQcsrLanes, tile.size() - s)), tile});
  if (shape.stage)
    deal(llvm::MutableArrayRef(out.slices).drop_front(first), shape.warps);
  ++out.tiles;
}

QcsrSlices qcsrSlice(const QcsrSliceShape &shape, QcsrChunk &chunk) {
  QcsrSlices out;
  for (size_t s = 0; s < chunk.segments.size();) {
    const size_t size = qcsrTileAt(chunk, s).size();
    sliceTile(shape, llvm::MutableArrayRef(chunk.segments).slice(s, size), out);
    s += size;
  }
  out.streams = shape.stage ? out.tiles * shape.warps : 1;
  std::stable_sort(out.slices.begin(), out.slices.end(),
                   [](const QcsrSlice &l, const QcsrSlice &r) { return l.stream < r.stream; });
  return out;
}

void forEachStream(const QcsrSlices &chunk, llvm::function_ref<void(llvm::ArrayRef<QcsrSlice>)> f) {
  llvm::ArrayRef<QcsrSlice> rest = chunk.slices;
  for (int64_t stream = 0; stream < chunk.streams; ++stream) {
    const auto own = rest.take_while([&](const QcsrSlice &s) { return s.stream == stream; });
    rest = rest.drop_front(own.size());
    f(own);
  }
}

llvm::ArrayRef<QcsrSlice> qcsrFirstTile(llvm::ArrayRef<QcsrSlice> slices) {
  return slices.take_while(
      [&](const QcsrSlice &s) { return s.tile.data() == slices[0].tile.data(); });
}

int64_t qcsrLines(llvm::ArrayRef<QcsrSlice> slices) {
  int64_t lines = 0;
  for (const QcsrSlice &s : slices)
    lines += s.width();
  return lines;
}

} // namespace specmv
