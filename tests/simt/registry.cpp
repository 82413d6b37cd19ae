// Looks up compiled kernels by the hash of their source.
#include "tests/simt/registry.h"

#include <algorithm>
#include <map>
#include <utility>

namespace specmv::simt {

uint64_t hashOf(std::string_view source) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  while (!source.empty()) {
    const std::string_view line = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(source.size(), line.size() + 1));
    for (char c : line.substr(0, 2) == "//" ? std::string_view() : line)
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

const CompiledKernel *findKernel(uint64_t source, const std::string &name) {
  using Key = std::pair<uint64_t, std::string>;
  static const std::map<Key, const CompiledKernel *> kernels = [] {
    std::map<Key, const CompiledKernel *> made;
    for (const KernelList *list = kKernelLists; *list; ++list)
      for (KernelList kernel = *list; kernel->name; ++kernel)
        made[{kernel->source, kernel->name}] = kernel;
    return made;
  }();
  const auto it = kernels.find({source, name});
  return it == kernels.end() ? nullptr : it->second;
}

} // namespace specmv::simt
