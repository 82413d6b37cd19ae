// Takes a sample of cases that differ in little: of each kind some, so that all matrices have
// their turn. Compiling and running all of them takes most of an hour of a processor:
// -DSPECMV_SIMT_WHOLE=ON.
#pragma once

#include <map>
#include <string>

namespace specmv::simt {

#ifdef SPECMV_SIMT_WHOLE
constexpr size_t kSampleStep = 1;
#else
constexpr size_t kSampleStep = 4;
#endif

// On a matrix with fewer entries, hardly any lane of a kernel has something to do.
constexpr int64_t kTelling = 300;

class Turns {
public:
  explicit Turns(size_t step = kSampleStep) : step_(step) {}

  // Counts the cases of the kind. Returns true for every step-th, where kinds begin at different
  // ones, and for the first that is telling if none was before.
  bool has(const std::string &kind, bool isTelling = false) {
    Kind &at = kinds_.try_emplace(kind, Kind{kinds_.size(), false}).first->second;
    const bool isTaken = at.count++ % step_ == 0 || (isTelling && !at.hasTold);
    at.hasTold |= isTaken && isTelling;
    return isTaken;
  }

private:
  struct Kind {
    size_t count;
    bool hasTold;
  };
  size_t step_;
  std::map<std::string, Kind> kinds_;
};

} // namespace specmv::simt
