// The explanation of a choice in words.
#pragma once

#include "runtime/explain/explain.h"

#include <string>

namespace specmv {

// Why the plan was chosen, in one sentence that names its format first.
std::string whySentence(const Explanation &e);

// What it gains over the best of cuSPARSE, and when its set-up has paid.
std::string gainSentence(const Explanation &e);
std::string paysSentence(const Explanation &e);

// All of it in short, for one line.
std::string shortSentence(const Explanation &e);

} // namespace specmv
