// Explains a choice in words.
#pragma once

#include "runtime/explain/explain.h"

#include <string>

namespace specmv {

// Says why the plan was chosen, in one sentence that names its format first.
std::string whySentence(const Explanation &e);

// Say how much the plan gains over cuSPARSE's best format, and when its set-up has paid.
std::string gainSentence(const Explanation &e);
std::string paysSentence(const Explanation &e);

// Returns all three briefly, on one line.
std::string shortSentence(const Explanation &e);

} // namespace specmv
