// File descriptors that are closed in a forked child: a lock or a leading role that belongs to one
// process must end with that process.
#pragma once

#include <memory>

namespace specmv {

class ForkFile {
public:
  ForkFile(); // none
  // Takes ownership of the descriptor, and closes it if there is no memory for this object.
  explicit ForkFile(int descriptor);
  ForkFile(ForkFile &&other) noexcept;
  ForkFile &operator=(ForkFile &&other) noexcept;
  ~ForkFile(); // closes it

  // Returns -1 if there is no file, or if this process is a child that was forked since.
  int descriptor() const;

private:
  struct Open;
  struct All;
  static All &all();
  std::unique_ptr<Open> open_; // on the heap, so that a child can reach the files of other threads
};

} // namespace specmv
