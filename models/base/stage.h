// Tells an observer what a long call is doing. The library sets no observer; the tool sets one
// (runtime/cli/report.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace specmv {

class Stage;

// Called when a stage begins and just before it ends, from any thread.
struct StageWatch {
  void (*begun)(const Stage &stage);
  void (*ended)(const Stage &stage);
};
inline std::atomic<const StageWatch *> stageWatch{nullptr};

// A part of the work that lasts as long as the object, such as "reading A.mtx", with its size.
class Stage {
public:
  enum class Counts : uint8_t { nothing, bytes, pieces };

  explicit Stage(std::string what, Counts counts = Counts::nothing, int64_t all = 0)
      : what(std::move(what)), counts(counts), all(all), watch_(stageWatch) {
    if (watch_)
      watch_->begun(*this);
  }
  Stage(const Stage &) = delete;
  Stage &operator=(const Stage &) = delete;
  ~Stage() {
    if (watch_)
      watch_->ended(*this);
  }

  void advance(int64_t by) { done_.fetch_add(by, std::memory_order_relaxed); }
  int64_t done() const { return done_.load(std::memory_order_relaxed); }

  const std::string what;
  const Counts counts;
  const int64_t all; // the amount to do; 0: unknown

private:
  std::atomic<int64_t> done_{0};
  const StageWatch *watch_;
};

} // namespace specmv
