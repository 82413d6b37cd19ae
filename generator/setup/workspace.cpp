// Functions for all kinds of workspace.
#include "generator/setup/workspace.h"

namespace specmv {

Layout layoutOnGpu(const Fields &fields) {
  Layout out;
  out.isOnHost = false;
  addFields(out, fields);
  return out;
}

llvm::Error addArrays(Workspace &workspace, const Layout &layout) {
  const bool fillsValues = workspace.csr().entryTask == kStoreValue;
  for (const LayoutArray &array : layout.arrays)
    if (fillsValues || array.name != layout.valueArray)
      if (llvm::Error error =
              workspace.add(array.name, array.type, array.count(), Contents::undefined))
        return error;
  for (const LayoutArray &array : layout.scratch)
    if (llvm::Error error = workspace.add(array.name, array.type, array.count(), Contents::zeros))
      return error;
  return llvm::Error::success();
}

llvm::Expected<int64_t> readNumber(Workspace &workspace, const std::string &name, ElementType type,
                                   int64_t at) {
  int64_t wide = 0;
  int32_t narrow = 0;
  const bool isWide = sizeOf(type) == sizeof wide;
  if (llvm::Error error =
          workspace.read(name, at, 1, isWide ? static_cast<void *>(&wide) : &narrow))
    return error;
  return isWide ? wide : narrow;
}

} // namespace specmv
