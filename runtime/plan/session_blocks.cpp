// Samples the blocks of a matrix in its set-up, on the GPU if there is one, otherwise on the host.
#include "generator/setup/repeated_blocks.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/plan/session.h"

namespace specmv {

llvm::Expected<std::optional<RepeatedBlocks>> Session::repeatedBlocks(int64_t r, int64_t c) {
  if (!mayUse(blockSamplesSource(csrIndex(), given().valueType)))
    return std::nullopt;
  const auto sample = [&] {
    auto seen =
        elseOnHost<RepeatedBlocks>(onGpu([&](Workspace &w) { return repeatedBlocksOn(w, r, c); }),
                                   [&](const CsrView &a) -> llvm::Expected<RepeatedBlocks> {
                                     return specmv::repeatedBlocks(a, r, c);
                                   });
    leaveWorkspace();
    return seen;
  };
  return timed(times.profile, [&] { return sampledOnce(blocks_, r, c, sample); });
}

} // namespace specmv
