// The names that a text can use at a place: those of the step, and variables that are declared.
#pragma once

#include "generator/fusion/words.h"
#include "llvm/ADT/STLExtras.h"

#include <vector>

namespace specmv {

struct KnownName {
  llvm::StringRef name;
  StepType type;
  // Why no statement may change it, and why it may not be used at all, to follow the name; "" if
  // that is allowed.
  std::string whyFixed = {}, whyNot = {};
};

class Scopes {
public:
  void open() { begins_.push_back(names_.size()); }
  void close() {
    names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(begins_.back()), names_.end());
    begins_.pop_back();
  }
  // Nothing may have this name already, also not in a block around.
  void add(KnownName name) { names_.push_back(std::move(name)); }
  KnownName *find(llvm::StringRef name) {
    const auto at = llvm::find_if(names_, [&](const KnownName &one) { return one.name == name; });
    return at == names_.end() ? nullptr : &*at;
  }
  std::vector<llvm::StringRef> all() const {
    std::vector<llvm::StringRef> out;
    for (const KnownName &one : names_)
      out.push_back(one.name);
    return out;
  }

private:
  std::vector<KnownName> names_;
  std::vector<size_t> begins_;
};

} // namespace specmv
