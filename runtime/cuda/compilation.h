// Tracks running calls of NVRTC. A forked process must know of them: NVRTC has locks of its own,
// and the child would wait forever for one that another thread held (NVRTC 13.0: 9 of 26 children).
// The end of the process must wait for them too, since NVRTC's statics would be destroyed during a
// call.
#pragma once

#include <cstdint>

namespace specmv {

// Says whether NVRTC may be called.
enum class NvrtcUse : uint8_t {
  allowed,
  tornByFork, // no: this process, or one before it, was forked while another thread compiled
  tooLate,    // no: the process is ending
};

// Marks a use of NVRTC while it lives. A thread may nest them.
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

// Call it in the thread that ends the process. Prevents other threads from starting to use NVRTC,
// and waits for those that use it.
void endCompilations();
// Called when NVRTC shuts down. No thread may begin to use it afterwards.
void forbidCompilations();

} // namespace specmv
