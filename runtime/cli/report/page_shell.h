// The frame of a page: its head with the style sheet, its contents and its sections.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv::cli {

struct PageSection {
  const char *id;         // its anchor, as in htmlSection()
  const char *inContents; // its name in the contents
  std::string html;
};

// `title` and `header`, the line below it, are text.
std::string wholePage(llvm::StringRef title, llvm::StringRef header,
                      llvm::ArrayRef<PageSection> sections);

} // namespace specmv::cli
