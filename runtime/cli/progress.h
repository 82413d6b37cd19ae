// One line on a terminal that tells what the tool is doing, when it takes long.
#pragma once

#include <memory>

namespace specmv::cli {

// While it lives, and if standard error is a terminal and nobody asked for quiet, the stages of the
// library (models/base/stage.h) are shown after two seconds, in one line that is rewritten in place
// and erased at the end.
class ProgressLine {
public:
  explicit ProgressLine(bool quiet);
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;
  ~ProgressLine();
};

// While it lives there is no line: for whoever writes to the terminal.
class ProgressPause {
public:
  ProgressPause();
  ProgressPause(const ProgressPause &) = delete;
  ProgressPause &operator=(const ProgressPause &) = delete;
  ~ProgressPause();
};

} // namespace specmv::cli
