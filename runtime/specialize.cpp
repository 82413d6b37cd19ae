// Tells the whole story of specmv: profile, recall or plan, choose and build, remember.
#include "runtime/specialize.h"

#include "models/csr_check.h"
#include "models/signature/signature.h"
#include "runtime/candidates.h"
#include "runtime/choose.h"
#include "runtime/measure/stopwatch.h"

namespace specmv {

static llvm::Error look(const CsrView &a, Specialized &s) {
  if (llvm::Error error = checkCsr(a))
    return error;
  timed(s.setup.profile, [&] { s.profile = profile(a), s.signature = signatureId(s.profile); });
  return llvm::Error::success();
}

llvm::Expected<Specialized> analyze(const CsrView &a, const Request &request,
                                    const Machine &machine) {
  Specialized s;
  if (llvm::Error error = look(a, s))
    return error;
  if (llvm::Error error = findCandidates(request, machine, s))
    return error;
  return s;
}

llvm::Expected<Specialized> specialize(const CsrView &a, const Request &request, Machine &machine) {
  Specialized s;
  if (llvm::Error error = look(a, s))
    return error;
  if (reuse(a, request, machine, s)) // the wisdom's plan, built
    return s;
  if (llvm::Error error = findCandidates(request, machine, s))
    return error;
  // Builds the candidates that it wants to see: build() packs, emits, finds the object in the cache
  // or compiles it, and loads.
  if (llvm::Error error = choose(a, request, machine, s))
    return error;
  keep(request, machine, s);
  return s;
}

} // namespace specmv
