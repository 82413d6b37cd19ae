// Reads and publishes cache files with plain system calls.
#include "runtime/store/entry_file.h"

#include "models/base/error.h"
#include "models/base/files.h"
#include "runtime/store/folder.h"
#include "runtime/store/key.h"
#include "runtime/store/prune.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace specmv {

// --- Read file -----------------------------------------------------------------------------------

// Opens and reads files with plain system calls: a mapped file that disappears from a network file
// system would kill the process (SIGBUS).

// O_NONBLOCK: if the path is a pipe, opening it must not wait for a writer.
static constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

llvm::ErrorOr<ReadFile> ReadFile::open(const std::string &path) {
  return opened(::open(path.c_str(), kToRead));
}

llvm::ErrorOr<ReadFile> ReadFile::openIn(int folder, const std::string &name) {
  return opened(openat(folder, name.c_str(), kToRead | O_NOFOLLOW));
}

llvm::ErrorOr<ReadFile> ReadFile::opened(int fd) {
  ReadFile file(fd);
  struct stat status = {};
  if (file.fd_ < 0 || fstat(file.fd_, &status) != 0)
    return std::error_code(errno, std::generic_category());
  if (!S_ISREG(status.st_mode))
    return std::make_error_code(S_ISDIR(status.st_mode) ? std::errc::is_a_directory
                                                        : std::errc::invalid_argument);
  file.size_ = static_cast<uint64_t>(status.st_size);
  file.identity_ = {status.st_dev, status.st_ino, file.size_, status.st_mtim.tv_sec,
                    status.st_mtim.tv_nsec};
  file.access_ = {status.st_uid, status.st_mode & 07777};
  return file;
}

ReadFile::~ReadFile() {
  if (fd_ >= 0)
    close(fd_);
}

void ReadFile::tellUse(std::chrono::seconds within) const {
  timespec now = {};
  // A failure is ignored: the file is another user's, or the file system is read-only.
  if (clock_gettime(CLOCK_REALTIME, &now) == 0 &&
      std::abs(now.tv_sec - identity_.seconds) > within.count())
    (void)futimens(fd_, nullptr);
}

std::optional<std::vector<char>> ReadFile::read(uint64_t offset, uint64_t count) const {
  if (offset > size_ || count > size_ - offset)
    return std::nullopt;
  std::vector<char> bytes(count);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t got =
        pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return std::nullopt;
    done += static_cast<size_t>(got);
  }
  return bytes;
}

// --- Entry file ----------------------------------------------------------------------------------

// Reads and publishes cache files with plain system calls. Files are not mapped, because a file
// that disappears from a network file system would kill the process (SIGBUS). LLVM's output streams
// are not used, because they end the process if the disk is full.

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

// --- Inspect -------------------------------------------------------------------------------------

// Recognizes the kind of an entry by its first words, and compares digests.

// Returns the version in a leading "specmv FOLDER VERSION "; -1 if there is none.
static int versionIn(const EntryKind &kind, llvm::StringRef bytes) {
  int version = -1;
  if (!bytes.consume_front("specmv ") || !bytes.consume_front(kind.folder) ||
      !bytes.consume_front(" ") || bytes.consumeInteger(10, version) || !bytes.starts_with(" "))
    return -1;
  return version;
}

bool beginsAsEntry(const EntryKind &kind, llvm::StringRef bytes) {
  return versionIn(kind, bytes) >= 0;
}

Inspected inspect(llvm::StringRef id, std::vector<char> bytes) {
  for (const EntryKind *kind : {&kObjectEntry, &kWisdomEntry}) {
    const int version = versionIn(*kind, viewOf(bytes));
    if (version < 0)
      continue;
    if (version != kCacheVersion)
      return {Inspected::ofOtherVersion, kind};
    auto entry = entryOf(*kind, std::move(bytes));
    if (!entry || idOf(entry->sections.front()) != id)
      return {Inspected::damaged, kind};
    return {Inspected::whole, kind, std::move(*entry)};
  }
  return {};
}

} // namespace specmv
