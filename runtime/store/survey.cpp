// Walks over the folders of a cache.
#include "runtime/store/survey.h"

#include "runtime/store/inspect.h"
#include "runtime/store/read_file.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>

namespace specmv {

std::string partOf(llvm::StringRef id) { return id.take_front(2).str(); }

llvm::Expected<Folder> folderOfEntry(const std::string &root, const EntryKind &kind,
                                     llvm::StringRef id) {
  auto top = Folder::open(root);
  if (!top)
    return top;
  auto ofKind = top->below(kind.folder);
  return ofKind ? ofKind->below(partOf(id)) : std::move(ofKind);
}

static bool isPart(llvm::StringRef name) {
  return name.size() == 2 && isId((name + std::string(30, '0')).str());
}

llvm::Error forEachFolder(const std::string &root,
                          llvm::function_ref<void(const EntryKind &, const Folder &)> f) {
  auto top = Folder::open(root);
  if (!top)
    return unlessMissing(top.takeError());
  for (const EntryKind *kind : {&kObjectEntry, &kWisdomEntry}) {
    auto ofKind = top->below(kind->folder);
    if (!ofKind) {
      if (llvm::Error error = unlessMissing(ofKind.takeError()))
        return error;
      continue;
    }
    for (const std::string &part : ofKind->names()) {
      if (!isPart(part))
        continue;
      auto folder = ofKind->below(part);
      if (folder)
        f(*kind, *folder);
      else if (llvm::Error error = unlessMissing(folder.takeError()))
        return error;
    }
  }
  return llvm::Error::success();
}

// Calls f for each name that an entry of its folder can have.
static llvm::Error forEachName(
    const std::string &root,
    llvm::function_ref<void(const EntryKind &, const Folder &, const std::string &name)> f) {
  return forEachFolder(root, [&](const EntryKind &kind, const Folder &folder) {
    for (const std::string &name : folder.names())
      if (isId(name) && llvm::StringRef(folder.path()).ends_with(partOf(name)))
        f(kind, folder, name);
  });
}

std::vector<std::string> filesInPlaceOfFolders(const std::string &root) {
  std::vector<std::string> paths;
  for (const EntryKind *kind : {&kObjectEntry, &kWisdomEntry})
    if (const std::string path = root + "/" + kind->folder;
        llvm::sys::fs::exists(path) && !llvm::sys::fs::is_directory(path))
      paths.push_back(path);
  return paths;
}

llvm::Expected<std::vector<std::string>> foldersInPlaceOfEntries(const std::string &root) {
  std::vector<std::string> paths;
  const auto look = [&](const EntryKind &, const Folder &folder, const std::string &name) {
    auto found = folder.below(name);
    if (found)
      paths.push_back(found->path());
    else
      llvm::consumeError(found.takeError()); // it is a file, or is gone
  };
  if (llvm::Error error = forEachName(root, look))
    return error;
  llvm::sort(paths);
  return paths;
}

llvm::Expected<std::vector<EntryAt>> entriesIn(const std::string &root) {
  std::vector<EntryAt> all;
  const auto add = [&](const EntryKind &kind, const Folder &folder, const std::string &name) {
    if (const auto file = folder.look(name))
      all.push_back({&kind, name, *file});
  };
  if (llvm::Error error = forEachName(root, add))
    return error;
  llvm::sort(all, [](const EntryAt &a, const EntryAt &b) {
    return std::pair(llvm::StringRef(a.kind->folder), a.id) <
           std::pair(llvm::StringRef(b.kind->folder), b.id);
  });
  return all;
}

static bool isEntry(const Folder &folder, const EntryAt &entry) {
  auto file = folder.file(entry.id);
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  const auto start = file->read(0, std::min<uint64_t>(file->size(), kTellingBytes));
  return start && beginsAsEntry(*entry.kind, viewOf(*start));
}

llvm::Expected<Removal> removeEntry(const Folder &folder, const EntryAt &entry) {
  if (!folder.look(entry.id))
    return Removal::gone;
  if (!isEntry(folder, entry))
    return folder.look(entry.id) ? Removal::isNone : Removal::gone;
  auto isRemoved = folder.remove(entry.id);
  if (!isRemoved)
    return isRemoved.takeError();
  return *isRemoved ? Removal::removed : Removal::gone;
}

} // namespace specmv
