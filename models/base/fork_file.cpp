// Keeps a list of the open descriptors and closes them in a forked child.
#include "models/base/fork_file.h"

#include "models/base/fork_mutex.h"
#include "models/base/lasting.h"

#include <mutex>
#include <pthread.h>
#include <set>
#include <unistd.h>
#include <utility>

namespace specmv {

struct ForkFile::Open {
  int descriptor;

  explicit Open(int opened);
  Open(const Open &) = delete;
  Open &operator=(const Open &) = delete;
  ~Open();
};

struct ForkFile::All {
  ForkMutex mutex; // guards the rest
  std::set<Open *> open;

  // The mutex is constructed first, so its fork handler in the child runs before this one. If there
  // is no memory to register this handler, the child keeps the descriptors.
  All() {
    pthread_atfork(nullptr, nullptr, [] { all().closeInChild(); });
  }
  void closeInChild() {
    for (Open *it : open)
      close(std::exchange(it->descriptor, -1));
    open.clear();
  }
};

ForkFile::All &ForkFile::all() {
  static Lasting<All> it;
  return *it;
}

ForkFile::Open::Open(int opened) : descriptor(opened) {
  const std::lock_guard lock(all().mutex);
  all().open.insert(this);
}

ForkFile::Open::~Open() {
  const std::lock_guard lock(all().mutex);
  all().open.erase(this);
  if (descriptor >= 0)
    close(descriptor);
}

ForkFile::ForkFile() = default;
ForkFile::ForkFile(int descriptor) try : open_(std::make_unique<Open>(descriptor)) {
} catch (...) {
  close(descriptor);
  throw;
}

ForkFile::ForkFile(ForkFile &&other) noexcept = default;
ForkFile &ForkFile::operator=(ForkFile &&other) noexcept = default;
ForkFile::~ForkFile() = default;

int ForkFile::descriptor() const { return open_ ? open_->descriptor : -1; }

} // namespace specmv
