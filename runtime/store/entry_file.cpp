// Reads and publishes cache files with plain system calls. Files are not mapped, because a file
// that disappears from a network file system would kill the process (SIGBUS). LLVM's output streams
// are not used, because they end the process if the disk is full.
#include "runtime/store/entry_file.h"

#include "models/base/error.h"
#include "models/base/file_size_signal.h"
#include "models/base/fresh_file.h"
#include "runtime/store/folder.h"
#include "runtime/store/prune.h"
#include "runtime/store/read_file.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace specmv {

std::string blake3Of(llvm::StringRef text) {
  llvm::BLAKE3 hasher;
  hasher.update(text);
  const auto digest = hasher.final<kDigestBytes>();
  return {digest.begin(), digest.end()};
}

bool isId(llvm::StringRef text) {
  return text.size() == 32 &&
         llvm::all_of(text, [](char c) { return llvm::isDigit(c) || ('a' <= c && c <= 'f'); });
}

static std::string headerOf(const EntryKind &kind) {
  return std::string("specmv ") + kind.folder + " " + std::to_string(kCacheVersion);
}

std::string packEntry(const EntryKind &kind, llvm::ArrayRef<llvm::StringRef> sections) {
  size_t total = 0;
  std::string bytes = headerOf(kind);
  for (llvm::StringRef section : sections) {
    bytes += " " + std::to_string(section.size());
    total += section.size();
  }
  bytes += '\n';
  bytes.reserve(bytes.size() + total + kDigestBytes);
  for (llvm::StringRef section : sections)
    bytes.append(section.data(), section.size());
  return bytes += blake3Of(bytes);
}

std::optional<std::vector<llvm::StringRef>> unpackEntry(const EntryKind &kind,
                                                        llvm::StringRef bytes) {
  if (bytes.size() < kDigestBytes)
    return std::nullopt;
  const llvm::StringRef body = bytes.drop_back(kDigestBytes);
  if (blake3Of(body) != bytes.take_back(kDigestBytes))
    return std::nullopt;
  if (!body.contains('\n')) // otherwise the sections would not be in the bytes
    return std::nullopt;
  auto [header, rest] = body.split('\n');
  if (!header.consume_front(headerOf(kind)))
    return std::nullopt;
  std::vector<llvm::StringRef> sections;
  for (size_t i = 0; i < kind.sections; ++i) {
    size_t length = 0;
    if (!header.consume_front(" ") || header.consumeInteger(10, length) || length > rest.size())
      return std::nullopt;
    sections.push_back(rest.take_front(length));
    rest = rest.drop_front(length);
  }
  if (!header.empty() || !rest.empty())
    return std::nullopt;
  return sections;
}

std::optional<Entry> entryOf(const EntryKind &kind, std::vector<char> bytes) {
  auto sections = unpackEntry(kind, viewOf(bytes));
  if (!sections)
    return std::nullopt;
  return Entry{std::move(bytes), std::move(*sections)};
}

static std::optional<std::vector<char>> readAll(const ReadFile &file) {
  return file.size() > kMaxEntryBytes ? std::nullopt : file.read(0, file.size());
}

std::optional<std::vector<char>> readEntryFile(const std::string &path) {
  const auto file = ReadFile::open(path);
  return file ? readAll(*file) : std::nullopt;
}

llvm::Expected<std::vector<char>> readEntryFile(const Folder &folder, const std::string &name,
                                                bool isUse) {
  auto file = folder.file(name);
  if (!file)
    return file.takeError();
  auto bytes = readAll(*file);
  if (!bytes)
    return fail(Status::missing,
                "{1}/{2} has {0} bytes, more than the limit, {3}, so it is not read", file->size(),
                folder.path(), name, kMaxEntryBytes);
  if (isUse)
    file->tellUse(kUseIsTold);
  return std::move(*bytes);
}

// The next three functions return 0, or the errno of the call that failed.

static int writeAll(int fd, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return put < 0 ? errno : ENOSPC;
    bytes = bytes.drop_front(static_cast<size_t>(put));
  }
  return 0;
}

// Writes the contents of a new file. Without fsync, a crash of the machine could leave a file with
// the final name and without its data. The digest would reveal that, but the entry would be lost.
static int fill(int fd, llvm::StringRef bytes) {
  // Users who may enter the folders may read the file. The result is ignored: on a file system
  // without modes the owner can still use the file.
  (void)!fchmod(fd, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
  const int error = writeAll(fd, bytes);
  return error == 0 && fsync(fd) != 0 ? errno : error;
}

static int publish(const Folder &folder, const std::string &name, llvm::StringRef bytes) {
  auto file = FreshFile::beside(name, folder.descriptor());
  if (!file)
    return file.getError().value();
  const int error = fill(file->descriptor(), bytes);
  return error != 0 ? error : file->publish().value();
}

llvm::Error publishFile(const Folder &folder, const std::string &name, llvm::StringRef bytes) {
  const NoFileSizeSignal quiet;
  const int error = bytes.size() > kMaxEntryBytes ? EFBIG : publish(folder, name, bytes);
  if (error == 0)
    return llvm::Error::success();
  return fail(Status::missing, "cannot write {0} bytes to {1}/{2}: {3}", bytes.size(),
              folder.path(), name, std::generic_category().message(error));
}

} // namespace specmv
