// Asks the driver for the number of a stream.
#include "runtime/cuda/stream_key.h"

#include "runtime/cuda/driver.h"

namespace specmv {

StreamIdentity identityOf(StreamHandle stream) {
  StreamIdentity out{keyOf(stream)};
  if (const auto numberOf = driver().cuStreamGetId)
    numberOf(static_cast<CUstream>(stream), &out.number);
  return out;
}

} // namespace specmv
