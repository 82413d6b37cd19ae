// Parses option values: one of several words, a whole number, a fixed parameter.
#pragma once

#include "generator/format.h"
#include "models/base/text.h"

#include <optional>

namespace specmv::cli {

// Stands for every coding that the values of the matrix fit, or for every order of rows and
// columns, from which a plan is chosen.
constexpr const char *kAnyCoding = "any", *kAnyOrder = "any";

// Parses a value of --set: "ell.width=27"; "values=ones", a coding of values or kAnyCoding; or
// "order=bfs", an order of rows and columns or kAnyOrder. `values` and `order` are "" for plain
// values, and for the order of the matrix. Messages name kAnyOrder if the verb takes it.
llvm::Error parseFixed(const std::string &text, bool takesAnyOrder, Fixed &fixed,
                       std::optional<std::string> &values, std::optional<std::string> &order);

// A word that an option accepts, and its meaning.
template <class T> struct OptionChoice {
  const char *name;
  T value;
};

template <class T, size_t n>
llvm::Error parseChoice(const char *option, const std::string &text,
                        const OptionChoice<T> (&choices)[n], T &out) {
  std::string names;
  for (const OptionChoice<T> &choice : choices) {
    if (text == choice.name) {
      out = choice.value;
      return llvm::Error::success();
    }
    names += (names.empty() ? "" : ", ") + std::string(choice.name);
  }
  return fail(Status::badCall, "--{0} '{1}' is not a valid value{2}; use one of {3}", option, text,
              meantBy(text, namesIn(choices)), names);
}

// One of `count` equal parts of a work; `index` counts from 0.
struct WorkPart {
  int64_t index = 0, count = 1;
  bool isAll() const { return count == 1; }
};

// Parses a value of --part: "2/4" is the second of four parts.
llvm::Error parsePart(const std::string &text, WorkPart &part);

template <class T>
llvm::Error parseNumber(const char *option, const std::string &text, T least, T &out) {
  if (llvm::StringRef(text).getAsInteger(10, out))
    return fail(Status::badCall, "--{0} '{1}' is not a whole number", option, text);
  if (out < least)
    return fail(Status::badCall, "--{0} {1} is too small; it must be at least {2}", option, out,
                least);
  return llvm::Error::success();
}

} // namespace specmv::cli
