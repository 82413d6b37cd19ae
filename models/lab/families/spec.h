// A SPEC, `name:key=value,...`: splits it and checks its options against the keys of a family.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

struct Spec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
};

// Splits `name[:key=value,...]`. Fails with badCall if the name, a key or a value is missing, or if
// a key is given twice.
llvm::Expected<Spec> parseSpec(llvm::StringRef text);

enum class KeyKind { integer, real, choice };

// A key that a family accepts. `fallback` defines the value of a key that is not given:
// alternatives, separated by '|'. The first alternative that names a given key applies; if there is
// none, the last one applies, which is a value or a key with its own fallback.
struct SpecKey {
  llvm::StringLiteral name;
  KeyKind kind;
  llvm::StringLiteral fallback;
  int64_t least, most;         // of an integer or a real, both inclusive
  llvm::StringLiteral choices; // separated by '|'
  llvm::StringLiteral meaning;
};

constexpr SpecKey integerKey(llvm::StringLiteral name, llvm::StringLiteral fallback, int64_t least,
                             int64_t most, llvm::StringLiteral meaning) {
  return {name, KeyKind::integer, fallback, least, most, "", meaning};
}
constexpr SpecKey realKey(llvm::StringLiteral name, llvm::StringLiteral fallback, int64_t least,
                          int64_t most, llvm::StringLiteral meaning) {
  return {name, KeyKind::real, fallback, least, most, "", meaning};
}
constexpr SpecKey choiceKey(llvm::StringLiteral name, llvm::StringLiteral fallback,
                            llvm::StringLiteral choices, llvm::StringLiteral meaning) {
  return {name, KeyKind::choice, fallback, 0, 0, choices, meaning};
}

// The value of every key of a family, given or by default, each within its range.
class SpecOptions {
public:
  // The family must declare the key, and integer() and real() need a key of that kind.
  int64_t integer(llvm::StringRef key) const { return at(key).integer; }
  double real(llvm::StringRef key) const { return at(key).real; }
  llvm::StringRef text(llvm::StringRef key) const { return at(key).text; }
  bool given(llvm::StringRef key) const { return at(key).given; }

private:
  friend llvm::Expected<SpecOptions> readOptions(const Spec &, llvm::ArrayRef<SpecKey>);
  struct Value {
    llvm::StringRef key;
    std::string text;
    bool given = false;
    int64_t integer = 0;
    double real = 0;
  };
  const Value &at(llvm::StringRef key) const;

  std::vector<Value> values_;
};

// Fails with badCall if a key is not one of `keys`, or if a value is malformed or out of range.
llvm::Expected<SpecOptions> readOptions(const Spec &spec, llvm::ArrayRef<SpecKey> keys);

} // namespace specmv
