// Describes and emits set-up kernels.
#include "generator/setup/kernels.h"

namespace specmv {

SetupKernel setupKernel(const char *function, const char *args, std::vector<ElementType> types,
                        Fields fields, int64_t blockThreads) {
  std::vector<Argument> arguments = argumentsOf(fields);
  return {{.name = std::string("specmv_") + function,
           .function = function,
           .plan = "",
           .args = args,
           .types = std::move(types),
           .blockThreads = blockThreads,
           .arguments = std::move(arguments),
           .beginsEarly = false},
          std::move(fields)};
}

KernelSource emitSetup(const std::string &purpose, const std::vector<std::string> &headers,
                       const std::vector<SetupKernel> &kernels) {
  std::vector<Kernel> described;
  described.reserve(kernels.size());
  for (const SetupKernel &kernel : kernels)
    described.push_back(kernel.kernel);
  return emitSource("Set-up kernels: " + purpose, headers, {}, described);
}

} // namespace specmv
