// Searches the compiler's output: loops, loads, waits and policies in PTX.
#pragma once

#include "tests/text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace specmv::testing {

inline std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

// The lines of PTX from a label to a later branch back to it.
using Loop = std::vector<std::string>;

inline std::vector<Loop> loopsOf(const std::string &ptx) {
  static const std::regex label(R"(^\s*(\$?\w+):.*)"), branch(R"(.*\bbra(?:\.uni)?\s+(\$?\w+);.*)");
  const std::vector<std::string> lines = linesOf(ptx);
  std::map<std::string, size_t> labels;
  std::vector<Loop> loops;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (std::regex_match(lines[i], match, label))
      labels[match[1]] = i;
    else if (std::regex_match(lines[i], match, branch) && labels.contains(match[1]))
      loops.emplace_back(lines.begin() + static_cast<std::ptrdiff_t>(labels[match[1]]),
                         lines.begin() + static_cast<std::ptrdiff_t>(i + 1));
  }
  return loops;
}

inline int64_t globalLoads(const std::vector<std::string> &lines) {
  return std::count_if(lines.begin(), lines.end(),
                       [](const std::string &line) { return contains(line, "ld.global"); });
}

// The text of one entry point.
inline std::string bodyOf(const std::string &ptx, const std::string &kernel) {
  const size_t begin = ptx.find(".entry " + kernel + "(");
  REQUIRE(begin != std::string::npos);
  return ptx.substr(begin, ptx.find(".visible", begin) - begin);
}

// Returns true if each entry point waits for the work in front of it before it touches memory.
inline bool waitsFirst(const std::string &ptx) {
  static const std::regex touch(R"((ld|st|red|atom|prefetch|cp\.async)[.\w:]*\.global)");
  const std::string entry = ".entry ", wait = "griddepcontrol.wait;";
  for (size_t at = ptx.find(entry); at != std::string::npos;) {
    const size_t next = ptx.find(entry, at + 1), waits = ptx.find(wait, at);
    if (waits >= next || std::regex_search(ptx.substr(at, waits - at), touch))
      return false;
    at = next;
  }
  return contains(ptx, entry);
}

// Returns true if an entry point loads from an address that it computed from its parameter `index`.
inline bool loadsFrom(const std::string &body, const std::string &kernel, size_t index) {
  static const std::regex aRegister(R"(%[a-z]+\d+)"), load(R"(ld\.global[^\[]*\[(%\w+))");
  const std::string parameter = "[" + kernel + "_param_" + std::to_string(index) + "]";
  std::set<std::string> derived;
  for (const std::string &line : linesOf(body)) {
    std::smatch match;
    if (std::regex_search(line, match, load)) {
      if (derived.contains(match[1]))
        return true;
      continue;
    }
    std::vector<std::string> registers;
    for (std::sregex_iterator it(line.begin(), line.end(), aRegister), end; it != end; ++it)
      registers.push_back(it->str());
    if (registers.empty() || contains(line, "st."))
      continue;
    const bool fromDerived = std::any_of(registers.begin() + 1, registers.end(),
                                         [&](auto &r) { return derived.count(r) > 0; });
    if (fromDerived || contains(line, parameter))
      derived.insert(registers[0]);
  }
  return false;
}

// Returns how many loads of what is read once have a policy; -1 if one has none, or another than
// the first parameter of the kernel, as it is: no instruction may compute a policy.
inline int loadsByPolicy(const std::string &body, const std::string &kernel) {
  static const std::regex policy(R"(cache_hint.*\], *(%rd\d+);)");
  const std::string parameter = "[" + kernel + "_param_0]";
  std::set<std::string> loaded;
  int count = 0;
  for (const std::string &line : linesOf(body)) {
    std::smatch match;
    if (contains(line, parameter) && contains(line, "ld.param.u64"))
      loaded.insert(line.substr(line.find('%'), line.find(',') - line.find('%')));
    if (!contains(line, "L1::no_allocate"))
      continue;
    if (!std::regex_search(line, match, policy) || !loaded.contains(match[1]))
      return -1;
    ++count;
  }
  return count;
}

} // namespace specmv::testing
