// Writes the texts of keys, and digests them.
#include "runtime/store/key.h"

#include "models/base/known_once.h"
#include "models/base/lasting.h"
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

static std::string textDigest(llvm::StringRef text) {
  return llvm::toHex(blake3Of(text), /*LowerCase=*/true);
}

// Stands for the text of a header, which is long. Those that are embedded are digested once.
static std::string headerDigest(const EmbeddedFile &header) {
  static Lasting<KnownOnce<const char *, std::string>> digests;
  const auto digest = [&] { return textDigest(header.text); };
  return isEmbedded(header) ? digests->of(header.text, digest) : digest();
}

CacheKey objectKey(llvm::StringRef source, llvm::ArrayRef<EmbeddedFile> headers,
                   llvm::ArrayRef<std::string> options, llvm::StringRef arch) {
  std::vector<std::string> digests;
  for (const EmbeddedFile &header : headers)
    digests.push_back(headerDigest(header));
  KeyFields fields{{"arch", arch}};
  for (const std::string &option : options)
    fields.emplace_back("option", option);
  for (size_t i = 0; i < headers.size(); ++i) {
    fields.emplace_back("header", headers[i].name);
    fields.emplace_back("digest", digests[i]);
  }
  fields.emplace_back("source", source);
  return makeKey(kObjectEntry, fields);
}

} // namespace specmv
