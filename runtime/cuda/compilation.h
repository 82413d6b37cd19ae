// The calls of NVRTC that run. A forked process must know of them: NVRTC has locks of its own, and
// the child would wait for good for one that another thread held (NVRTC 13.0: 9 of 26 children). So
// must the end of a process, since NVRTC's statics are then destroyed under a call.
#pragma once

#include <cstdint>

namespace specmv {

// Whether NVRTC may be called.
enum class NvrtcUse : uint8_t {
  allowed,
  tornByFork, // no: this process, or one before it, was forked while another thread compiled
  tooLate,    // no: the process ends
};

// A use of NVRTC, while it lives. It may be made within another one of the same thread.
class Compilation {
public:
  Compilation();
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;
  ~Compilation();

  NvrtcUse use() const { return use_; }

private:
  NvrtcUse use_;
};

// The calling thread ends the process. From now on no other one may begin to use NVRTC, and those
// that use it are waited for.
void endCompilations();
// NVRTC takes itself down. From now on no thread may begin to use it.
void forbidCompilations();

} // namespace specmv
