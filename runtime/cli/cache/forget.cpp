// cache forget: removes the choices for a matrix from the user's own folder, so that the next
// set-up chooses again.
#include "runtime/cli/cache/cache.h"

#include "models/signature/signature.h"
#include "runtime/cli/pregen/subject.h"
#include "runtime/cli/report.h"
#include "runtime/store/packs.h"
#include "runtime/store/wisdom.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

static bool isChoiceFor(const std::string &signature, const Inspected &found) {
  if (found.health != Inspected::whole || found.kind != &kWisdomEntry)
    return false;
  const auto wisdom = parseWisdom(found.entry.sections[1]);
  return wisdom && wisdom->signature == signature;
}

static uint64_t choicesIn(const PackFile &pack, const std::string &signature) {
  uint64_t count = 0;
  for (size_t i = 0; i < pack.entries(); ++i)
    if (const auto entry = pack.entryAt(i))
      count +=
          isChoiceFor(signature, inspect(entry->id, {entry->bytes.begin(), entry->bytes.end()}));
  return count;
}

static llvm::Expected<std::vector<EntryAt>> choicesIn(const std::string &root,
                                                      const std::string &signature) {
  std::vector<EntryAt> out;
  if (llvm::Error error = forEachEntry(root, [&](const EntryAt &at, const Inspected &found) {
        if (isChoiceFor(signature, found))
          out.push_back(at);
      }))
    return error;
  return out;
}

// Choices in packs and in read-only folders remain in effect.
static uint64_t choicesElsewhere(const Cache &cache, const std::string &signature) {
  uint64_t count = 0;
  for (const auto &pack : cache.packs())
    count += choicesIn(*pack, signature);
  for (const std::string &directory : cache.directories()) {
    if (directory == cache.path())
      continue;
    auto found = choicesIn(directory, signature);
    if (found)
      count += found->size();
    else
      warn(describe(found.takeError()).second);
  }
  return count;
}

static std::string choicesText(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " choice" : " choices");
}

// Succeeds if another process removed the choice meanwhile.
static llvm::Error removeChoice(const Cache &cache, const EntryAt &entry) {
  auto folder = folderOfEntry(cache.path(), *entry.kind, entry.id);
  if (!folder)
    return unlessMissing(folder.takeError());
  if (folder->remove(entry.id) || !folder->look(entry.id))
    return llvm::Error::success();
  return fail(Status::missing, "cannot remove {0}/{1}; the owner of the folder can", folder->path(),
              entry.id);
}

llvm::Error forgetMatrix(const Options &options, Cache &cache) {
  auto matrix = describeNamed(options.arguments[1], options);
  if (!matrix)
    return matrix.takeError();
  const std::string signature = signatureId(matrix->profile);
  auto choices = choicesIn(cache.path(), signature);
  if (!choices)
    return choices.takeError();
  for (const EntryAt &entry : *choices)
    if (llvm::Error error = removeChoice(cache, entry))
      return error;
  if (const uint64_t left = choicesElsewhere(cache, signature))
    note(llvm::formatv("{0} for this matrix in packs and read-only folders will still be followed, "
                       "unless --rigor is exhaustive",
                       choicesText(left)));
  return writeAnswer(options,
                     llvm::json::Object{{"signature", signature}, {"removed", choices->size()}},
                     llvm::formatv("{0} for the matrix {1} removed; kernels stay\n",
                                   choicesText(choices->size()), signature));
}

} // namespace specmv::cli
