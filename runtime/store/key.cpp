// Writes the texts of keys and computes their digests.
#include "runtime/store/key.h"

#include "generator/source/specialized.h"
#include "runtime/store/entry_file.h"
#include "llvm/ADT/StringExtras.h"

namespace specmv {

std::string idOf(llvm::StringRef digest) {
  return llvm::toHex(digest.take_front(16), /*LowerCase=*/true);
}

CacheKey makeKey(const EntryKind &kind, const KeyFields &fields) {
  std::string text =
      std::string("specmv ") + kind.folder + " " + std::to_string(kCacheVersion) + "\n";
  for (const auto &[name, value] : fields) {
    text.append(name.data(), name.size());
    text += " " + std::to_string(value.size()) + "\n";
    text.append(value.data(), value.size());
    text += '\n';
  }
  std::string digest = blake3Of(text);
  return {digest, idOf(digest)};
}

CacheKey objectKey(llvm::StringRef source, llvm::ArrayRef<EmbeddedFile> headers,
                   llvm::ArrayRef<std::string> options, llvm::StringRef arch) {
  KeyFields fields{{"arch", arch}};
  for (const std::string &option : options)
    fields.emplace_back("option", option);
  for (const EmbeddedFile &header : headers) {
    fields.emplace_back("header", header.name);
    fields.emplace_back("digest", header.digest);
  }
  if (!headers.empty()) // otherwise the source is what is compiled
    fields.emplace_back("specializer", specializerDigest());
  fields.emplace_back("source", source);
  return makeKey(kObjectEntry, fields);
}

} // namespace specmv
