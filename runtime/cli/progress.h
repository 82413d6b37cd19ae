// Shows what the tool is doing, in one line on a terminal, if it takes long.
#pragma once

#include <memory>

namespace specmv::cli {

// While an object lives, the stages of the library (models/base/stage.h) are shown after two
// seconds, in one line that is rewritten in place and erased at the end. Nothing is shown with
// --quiet or if standard error is no terminal.
class ProgressLine {
public:
  explicit ProgressLine(bool quiet);
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;
  ~ProgressLine();
};

// Hides the line while an object lives, so that the terminal can be written to.
class ProgressPause {
public:
  ProgressPause();
  ProgressPause(const ProgressPause &) = delete;
  ProgressPause &operator=(const ProgressPause &) = delete;
  ~ProgressPause();
};

} // namespace specmv::cli
