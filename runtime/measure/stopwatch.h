// Measures time on the host: the parts of the set-up, the progress of a bench.
#pragma once

#include <chrono>

namespace specmv {

// Starts on construction.
class Stopwatch {
public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin_).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

// Calls f and adds the milliseconds that it took to `total`.
template <class F> auto timed(double &total, F &&f) {
  struct Add {
    double &total;
    Stopwatch watch{};
    ~Add() { total += watch.milliseconds(); }
  } add{total};
  return f();
}

} // namespace specmv
