// The plans that a sweep times: the best few of each format, and in place of one that cannot be
// made, the next of its format.
#pragma once

#include "generator/rank.h"

namespace specmv {

class PlansToTime {
public:
  // The candidates are the best first; mostOfAFormat = 0 takes all.
  PlansToTime(llvm::ArrayRef<Candidate> candidates, size_t mostOfAFormat);

  // Returns them in the order of their predictions, so that plans that are much too slow come after
  // a fast one and are timed briefly.
  llvm::ArrayRef<Plan> plans() const { return taken_; }

  // Adds the best plan of the format that is not among them yet, if there is one.
  void addOneMore(const std::string &format);

private:
  std::vector<Plan> taken_, others_;
};

} // namespace specmv
