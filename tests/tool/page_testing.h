// Checks pages in HTML as a browser and a reader meet them.
#pragma once

#include "tests/text.h"
#include "tests/tool/tool_testing.h"

#include <llvm/ADT/ArrayRef.h>

#include <regex>

namespace tooltest {

// Returns where the tag that begins at `at` ends, one past its ">". A ">" between quotes is text.
// No regular expression does this: std::regex calls itself once a character, and an image's
// attribute has a hundred thousand of them.
inline size_t endOfTag(const std::string &page, size_t at) {
  bool quoted = false;
  for (; at < page.size(); ++at) {
    if (page[at] == '"')
      quoted = !quoted;
    else if (page[at] == '>' && !quoted)
      return at + 1;
  }
  return page.size();
}

// Returns what is wrong with the nesting of elements; "" if each is closed in its turn.
inline std::string badNesting(const std::string &page) {
  Strings open;
  size_t end = page.find('>') + 1; // of <!DOCTYPE html>
  for (size_t at; (at = page.find('<', end)) < page.size();) {
    end = endOfTag(page, at);
    const bool closes = page[at + 1] == '/';
    const size_t first = at + (closes ? 2 : 1);
    const std::string name = page.substr(first, page.find_first_of(" />", first) - first);
    if (name.empty() ||
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") < name.size())
      return "a < that begins no element, before \"" + name.substr(0, 40) + "\"";
    if (closes) {
      if (open.empty() || open.back() != name)
        return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
      open.pop_back();
    } else if (page[end - 2] != '/' && name != "meta" && name != "img" && name != "wbr") {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : open.back() + " is not closed";
}

// Checks that a page is whole, well-formed and small, has these sections, and needs nothing else.
inline void checkWholePage(const std::string &page, llvm::ArrayRef<const char *> sections) {
  CHECK(page.rfind("<!DOCTYPE html>\n", 0) == 0);
  CHECK(badNesting(page) == "");
  CHECK(page.size() < 2'000'000);
  for (const char *id : sections)
    CHECK_MESSAGE(specmv::testing::contains(page, "<section id=\"" + std::string(id) + "\">"),
                  std::string(id));
  // Nothing comes from elsewhere, and nothing runs.
  for (const char *never : {"<script", "<link", "@import", "src=\"http", "href=\"http", "url("})
    CHECK_MESSAGE(!specmv::testing::contains(page, never), std::string(never));
  // No coordinate is infinite or not a number.
  CHECK_FALSE(std::regex_search(page, std::regex("[\" ,]-?(inf|nan)[\" ,]")));
}

} // namespace tooltest
