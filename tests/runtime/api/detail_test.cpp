// Tests the message that a thread keeps about its last failure.
#include "runtime/api/guarded.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>

using namespace specmv;

namespace {

std::string kept(const std::string &sentence) {
  keepDetail(sentence.c_str());
  return lastDetail();
}

} // namespace

TEST_CASE("a thread keeps its own sentence, and none at first") {
  CHECK(kept("row 17: column 900 exceeds 512 columns") == "row 17: column 900 exceeds 512 columns");
  std::thread([] {
    CHECK(std::string(lastDetail()).empty());
    CHECK(kept("other") == "other");
  }).join();
  CHECK(std::string(lastDetail()) == "row 17: column 900 exceeds 512 columns");
  keepDetail(lastDetail());
  CHECK(std::string(lastDetail()) == "row 17: column 900 exceeds 512 columns");
  CHECK(kept("") == "");
}

TEST_CASE("what a terminal may obey is kept as \\x1b, on one line, and other UTF-8 as it is") {
  CHECK(kept("a\x1b[31m\nb\x7f\xff\xc2\x9b") == "a\\x1b[31m\\x0ab\\x7f\\xff\\xc2\\x9b");
  CHECK(kept("tab\t\xc3\xa9 \xe2\x82\xac \\x1b") == "tab\t\xc3\xa9 \xe2\x82\xac \\x1b");
  CHECK(kept(std::string(4091, 'x') + "\x1b") == std::string(4091, 'x') + "\\x1b");
  CHECK(kept(std::string(4092, 'x') + "\x1b") == std::string(4092, 'x') + "...");
  CHECK(kept(std::string(4089, 'x') + "\x1b\x1b") == std::string(4089, 'x') + "...");
}

TEST_CASE("a sentence that is too long is cut between two characters") {
  CHECK(kept(std::string(4095, 'x')) == std::string(4095, 'x'));
  CHECK(kept(std::string(4096, 'x')) == std::string(4092, 'x') + "...");
  CHECK(kept(std::string(100000, 'x')) == std::string(4092, 'x') + "...");
  for (const std::string character : {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
    for (size_t before = 0; before < 5; ++before) {
      std::string sentence(before, 'x');
      while (sentence.size() < 5000)
        sentence += character;
      const size_t whole = (4092 - before) / character.size() * character.size();
      CHECK(kept(sentence) == sentence.substr(0, before + whole) + "...");
    }
}
