// A build step: flatten FILE writes the built-in GPU models as C++ tables.
#include "models/base/error.h"
#include "models/gpus/flat.h"

#include <cstdio>
#include <fstream>

using namespace specmv;

static llvm::Expected<std::vector<GpuModel>> builtInModels() {
  std::vector<GpuModel> out;
  for (const std::string &name : gpuModelNames()) {
    auto model = loadGpuModel(name);
    if (!model)
      return model.takeError();
    out.push_back(std::move(*model));
  }
  return out;
}

int main(int argc, char **argv) {
  auto models = builtInModels();
  if (!models) {
    std::fprintf(stderr, "error: %s\n", describe(models.takeError()).second.c_str());
    return 1;
  }
  std::ofstream out(argc == 2 ? argv[1] : "/dev/stdout");
  out << flatText(*models) << std::flush;
  return out ? 0 : 1;
}
