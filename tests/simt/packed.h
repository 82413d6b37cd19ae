// Compares what a packing of the host made with what set-up kernels left in a workspace.
#pragma once

#include "tests/simt/workspace.h"

#include <string>

namespace specmv::simt {

// The first array in which two layouts differ; empty if there is none.
inline std::string firstDifference(const Layout &host, const Layout &device,
                                   const HostWorkspace &workspace) {
  if (host.arrays.size() != device.arrays.size() || host.scratch.size() != device.scratch.size() ||
      host.integers != device.integers || host.valueArray != device.valueArray ||
      host.slotsAreShared != device.slotsAreShared)
    return "the layouts have other arrays or numbers";
  for (size_t i = 0; i < host.arrays.size(); ++i) {
    const LayoutArray &expected = host.arrays[i], &described = device.arrays[i];
    const Buffer *got = workspace.find(expected.name);
    if (expected.name != described.name || expected.type != described.type ||
        expected.count() != described.count())
      return expected.name + ": " + std::to_string(described.count()) + " elements instead of " +
             std::to_string(expected.count());
    if (!got || got->bytes() != expected.bytes.size())
      return expected.name + " is not in the workspace, or has another size";
    const auto *bytes = reinterpret_cast<const char *>(expected.bytes.data());
    for (size_t at = 0; at < expected.bytes.size(); ++at)
      if (bytes[at] != got->data()[at])
        return expected.name + " differs in element " + std::to_string(at / sizeOf(expected.type));
  }
  for (size_t i = 0; i < host.scratch.size(); ++i) {
    const LayoutArray &expected = host.scratch[i];
    const Buffer *got = workspace.find(expected.name);
    if (expected.name != device.scratch[i].name || expected.count() != device.scratch[i].count() ||
        !got || got->bytes() != static_cast<size_t>(expected.size()))
      return "working memory " + expected.name;
  }
  return "";
}

} // namespace specmv::simt
