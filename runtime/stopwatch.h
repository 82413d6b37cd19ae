// Times the parts of the set-up.
#pragma once

#include <chrono>

namespace specmv {

// Calls f and adds the milliseconds it took to `total`.
template <class F> auto timed(double &total, F &&f) {
  using Clock = std::chrono::steady_clock;
  struct Add {
    double &total;
    Clock::time_point begin = Clock::now();
    ~Add() { total += std::chrono::duration<double, std::milli>(Clock::now() - begin).count(); }
  } add{total};
  return f();
}

} // namespace specmv
