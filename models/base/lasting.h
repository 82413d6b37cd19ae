// Statics that work on other threads may use: that work is ended before the first of them is
// destroyed.
#pragma once

#include <atomic>
#include <utility>

namespace specmv {

// Ends all work on other threads and lets none begin. False in a process that has none of the
// threads, a forked one, where they may have left values half changed: these are not destroyed.
// Called once for each static, so it must cost little when there is no work.
using EndWork = bool (*)();

// null until work begins for the first time.
inline std::atomic<EndWork> endWork{nullptr};

// Statics are destroyed in the reverse order of their construction, so one that is made after work
// began is destroyed before anything that was registered at that time to end the work. Therefore
// each of them ends it. Every static of a function whose type has a destructor is of this type
// (tests/house.sh checks this), whether or not a thread uses it today.
template <class T> class Lasting {
public:
  template <class... Arguments>
  explicit Lasting(Arguments &&...arguments) : value(std::forward<Arguments>(arguments)...) {}
  Lasting(const Lasting &) = delete;
  Lasting &operator=(const Lasting &) = delete;
  ~Lasting() {
    const EndWork end = endWork;
    if (!end || end())
      value.~T();
  }

  T &operator*() { return value; }
  const T &operator*() const { return value; }
  T *operator->() { return &value; }
  const T *operator->() const { return &value; }

private:
  union {
    T value;
  };
};

} // namespace specmv
