// Compares layouts array by array.
#include "tests/simt/difference.h"

namespace specmv::simt {

static std::string firstDifferentArray(const LayoutArray &expected, const LayoutArray &described,
                                       const Buffer *got) {
  if (expected.name != described.name || expected.type != described.type ||
      expected.count() != described.count())
    return expected.name + ": " + std::to_string(described.count()) + " elements instead of " +
           std::to_string(expected.count());
  if (!got || got->bytes() < expected.bytes.size())
    return expected.name + " is not in the workspace, or too short";
  const auto *bytes = reinterpret_cast<const char *>(expected.bytes.data());
  for (size_t at = 0; at < expected.bytes.size(); ++at)
    if (bytes[at] != got->data()[at])
      return expected.name + " differs in element " + std::to_string(at / sizeOf(expected.type));
  return "";
}

std::string firstDifference(const Layout &host, const Layout &device,
                            const HostWorkspace &workspace) {
  if (host.arrays.size() != device.arrays.size() || host.scratch.size() != device.scratch.size() ||
      host.integers != device.integers || host.valueArray != device.valueArray ||
      host.slotsAreShared != device.slotsAreShared || host.vectorElements != device.vectorElements)
    return "the layouts have other arrays or numbers";
  for (size_t i = 0; i < host.arrays.size(); ++i)
    if (std::string difference = firstDifferentArray(host.arrays[i], device.arrays[i],
                                                     workspace.find(host.arrays[i].name));
        !difference.empty())
      return difference;
  for (size_t i = 0; i < host.scratch.size(); ++i)
    if (host.scratch[i].name != device.scratch[i].name ||
        host.scratch[i].count() != device.scratch[i].count() ||
        !workspace.find(host.scratch[i].name))
      return "working memory " + host.scratch[i].name;
  return "";
}

} // namespace specmv::simt
