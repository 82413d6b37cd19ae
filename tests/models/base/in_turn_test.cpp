// Tests chains of steps that may fail: which of them run, and whose error comes out.
#include "models/base/error.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace specmv;

TEST_CASE("steps run in turn until one fails") {
  std::string ran;
  const auto step = [&](char name, bool isGood) {
    return [&ran, name, isGood] {
      ran += name;
      return isGood ? llvm::Error::success() : fail(Status::badInput, "step {0}", name);
    };
  };
  CHECK_FALSE(llvm::errorToBool(inTurn()));
  CHECK_FALSE(llvm::errorToBool(inTurn(step('a', true), step('b', true))));
  CHECK(ran == "ab");
  ran.clear();
  const auto [status, sentence] =
      describe(inTurn(step('a', true), step('b', false), step('c', false)));
  CHECK(ran == "ab");
  CHECK(status == Status::badInput);
  CHECK(sentence == "step b");
}

TEST_CASE("a value is used if there is one, and otherwise its error is given on") {
  using Text = llvm::Expected<std::string>;
  const auto size = [](const std::string &text) { return text.size(); };
  const auto checked = [](const std::string &text) -> Text {
    return text.empty() ? Text(fail(Status::badCall, "no text")) : Text(text + "!");
  };
  const auto error = [](const std::string &text) { return fail(Status::missing, "{0}", text); };
  CHECK(llvm::cantFail(andThen(Text("four"), size)) == 4);
  CHECK(llvm::cantFail(andThen(Text("so"), checked)) == "so!");
  CHECK(describe(andThen(Text(""), checked).takeError()).second == "no text");
  CHECK(describe(andThen(Text("gone"), error)).second == "gone");
  CHECK(describe(andThen(Text(fail(Status::internal, "first")), size).takeError()).second ==
        "first");
  // A value without a copy is moved.
  const auto taken = [](std::unique_ptr<int> number) { return *number; };
  CHECK(llvm::cantFail(
            andThen(llvm::Expected<std::unique_ptr<int>>(std::make_unique<int>(7)), taken)) == 7);
}
