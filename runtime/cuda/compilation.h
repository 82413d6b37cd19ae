// The calls of NVRTC that run, of which a forked process must know: NVRTC has locks of its own, and
// the child would wait for good for one that another thread held (NVRTC 13.0: 9 of 26 children).
#pragma once

namespace specmv {

// A compilation, while it lives.
class Compilation {
public:
  Compilation();
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;
  ~Compilation();

  // False in a process that was forked while another thread compiled, and in its children.
  bool isAllowed() const { return isAllowed_; }

private:
  bool isAllowed_;
};

} // namespace specmv
