// File descriptors that a forked child does not keep: a lock or a lead that belongs to one process
// must end with it.
#pragma once

#include <memory>

namespace specmv {

class ForkFile {
public:
  ForkFile(); // none
  // Takes the descriptor over, also if there is no memory for this object.
  explicit ForkFile(int descriptor);
  ForkFile(ForkFile &&other) noexcept;
  ForkFile &operator=(ForkFile &&other) noexcept;
  ~ForkFile(); // closes it

  // -1 if there is none, as in a child that was forked since.
  int descriptor() const;

private:
  struct Open;
  struct All;
  static All &all();
  std::unique_ptr<Open> open_; // on the heap, where the child finds what another thread has
};

} // namespace specmv
