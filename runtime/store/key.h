// Makes the keys of the cache, from texts of everything that an entry depends on.
#pragma once

#include "generator/embedded.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace specmv {

struct EntryKind;

// The key of an entry.
struct CacheKey {
  std::string digest; // BLAKE3 of everything that determines the entry; stored in it
  std::string id;     // its first half as 32 hexadecimal digits: the name of the file
};

std::string idOf(llvm::StringRef digest);

// Makes a key of named fields in order. Each value is preceded by its length, so that two different
// lists never give the same text.
using KeyFields = std::vector<std::pair<llvm::StringRef, llvm::StringRef>>;
CacheKey makeKey(const EntryKind &kind, const KeyFields &fields);

// Makes the key of a compiled object. `headers` are those that the source includes directly: the
// digest of each stands for its text and for everything that it includes, so that changes of other
// headers do not change the key. `options` are those that change the code, without paths.
// The compiler's version is not part of the key, because finding an object must not load the
// compiler.
CacheKey objectKey(llvm::StringRef source, llvm::ArrayRef<EmbeddedFile> headers,
                   llvm::ArrayRef<std::string> options, llvm::StringRef arch);

} // namespace specmv
