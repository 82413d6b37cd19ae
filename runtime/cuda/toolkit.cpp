// Opens shared libraries, and distinguishes missing files from files that cannot be opened.
#include "runtime/cuda/toolkit.h"

#include "runtime/cuda/places.h"
#include "runtime/threads/background.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>
#include <utility>

namespace specmv {

char AbsentError::ID = 0;

llvm::Error absent(std::string sentence) {
  return llvm::make_error<AbsentError>(Status::missing, std::move(sentence));
}

// Changes the status and the sentence of an error; an AbsentError stays one.
template <class Change> static llvm::Error changed(llvm::Error error, const Change &change) {
  const bool isAbsent = error.isA<AbsentError>();
  auto [status, sentence] = describe(std::move(error));
  change(status, sentence);
  return isAbsent ? llvm::make_error<AbsentError>(status, std::move(sentence))
                  : failWith(status, std::move(sentence));
}

llvm::Error prefixed(const char *words, llvm::Error error) {
  return changed(std::move(error),
                 [&](Status, std::string &sentence) { sentence.insert(0, words); });
}

llvm::Error ofKind(Status kind, llvm::Error error) {
  return changed(std::move(error), [&](Status &status, std::string &) {
    if (isMissing(status))
      status = kind;
  });
}

// Returns why this process cannot open any file now, for example because of its limit of open
// files; "" if it can. dlopen must not be called then: if glibc fails once to read its list of
// libraries (/etc/ld.so.cache), it never reads it again and from then on finds only libraries in
// the standard folders.
static std::string whyNoFileOpens() {
  const int fd = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return llvm::sys::StrError(errno);
  close(fd);
  return "";
}

// Returns true if the file `path` does not exist. For a plain name, which the loader searches for,
// the loader's message `reason` decides: it starts with the name of the missing file, which may be
// a dependency of an existing file.
static bool isNotThere(const std::string &path, llvm::StringRef reason) {
  if (llvm::sys::path::has_parent_path(path))
    return access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
  return reason.starts_with(path + ":") && reason.ends_with(llvm::sys::StrError(ENOENT));
}

static llvm::Error openingError(const std::string &path) {
  const char *reason = dlerror();
  llvm::StringRef said = reason ? reason : "no reason given";
  said.consume_front(path + ": "); // the loader's message mostly begins with it
  std::string sentence = "cannot open " + path + ": " + said.str();
  return reason && isNotThere(path, reason) ? absent(std::move(sentence))
                                            : failWith(Status::missing, std::move(sentence));
}

static llvm::Expected<void *> openFile(const std::string &path) {
  if (const std::string reason = whyNoFileOpens(); !reason.empty())
    return fail(Status::missing, "cannot open {0}: {1}", path, reason);
  // If the loader searches for a plain name, the file that it will find is not known, nor are the
  // library's dependencies, so these cannot be checked.
  if (llvm::sys::path::has_parent_path(path))
    if (const std::string reason = whyNotWhole(path); !reason.empty())
      return fail(Status::missing, "cannot open {0}: {1}", path, reason);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return openingError(path);
  return handle;
}

// Returns the path of an open library; `name` if the loader does not tell it.
static std::string pathOf(void *handle, const std::string &name) {
  const link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map->l_name || !*map->l_name)
    return name;
  return map->l_name;
}

llvm::Error moreInformative(llvm::Error one, llvm::Error other) {
  if (!one || one.isA<AbsentError>())
    std::swap(one, other);
  llvm::consumeError(std::move(other));
  return one;
}

// Lists the files in the folder of `library` whose names start with the prefix. All are listed
// before one is opened, since the open folder takes a file descriptor, which may be the last free
// one.
static std::error_code listBeside(const std::string &library, llvm::StringRef prefix,
                                  std::vector<std::string> &files) {
  const llvm::StringRef folder = llvm::sys::path::parent_path(library);
  std::error_code error;
  if (folder.empty() || !llvm::sys::fs::exists(library))
    return error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    if (llvm::sys::path::filename(it->path()).starts_with(prefix))
      files.push_back(it->path());
  return error;
}

// Opens the files beside `library` whose names start with the prefix. Returns an error if there are
// such files and none of them opens. The library itself would open without them, stay open for the
// life of the process, and fail in every later call.
static llvm::Error openBeside(const std::string &library, const char *prefix) {
  std::vector<std::string> files;
  if (const std::error_code error = listBeside(library, prefix, files))
    return fail(Status::missing, "cannot open {0}: {1}", library, error.message());
  size_t opened = 0;
  llvm::Error failure = llvm::Error::success();
  for (const std::string &file : files)
    if (auto handle = openFile(file))
      ++opened;
    else
      failure = moreInformative(std::move(failure), handle.takeError());
  if (opened == 0)
    return failure;
  llvm::consumeError(std::move(failure));
  return llvm::Error::success();
}

llvm::Expected<DynamicLibrary> DynamicLibrary::open(const std::string &path, const char *beside) {
  if (beside)
    if (llvm::Error error = openBeside(path, beside))
      return error;
  auto handle = openFile(path);
  if (!handle)
    return handle.takeError();
  endBackgroundFirst();
  return DynamicLibrary(*handle, pathOf(*handle, path));
}

llvm::Expected<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string> &paths,
                                                    const char *beside) {
  llvm::Error failure = absent("there is no path to open");
  for (const std::string &path : paths) {
    auto library = open(path, beside);
    if (library) {
      llvm::consumeError(std::move(failure));
      return library;
    }
    failure = moreInformative(std::move(failure), library.takeError());
  }
  return failure;
}

void *DynamicLibrary::find(const char *name) const { return dlsym(handle_, name); }

} // namespace specmv
