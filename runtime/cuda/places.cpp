// Lists the places of the toolkit's libraries, reads versions from names, and looks for truncated
// files.
#include "runtime/cuda/places.h"

#include "models/base/fork.h"
#include "models/base/lasting.h"
#include "models/base/own_environment.h"
#include "runtime/store/entry_file.h"
#include "runtime/store/folder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <iterator>
#include <link.h>
#include <mutex>
#include <optional>
#include <utility>

namespace specmv {

// --- Own folder ----------------------------------------------------------------------------------

// Asks the loader which file this code was loaded from.

static constexpr char kHere = 0; // an address within this library or program

static const link_map *mapOf(const void *address) {
  Dl_info info = {};
  link_map *map = nullptr;
  const bool isKnown =
      dladdr1(address, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) != 0;
  return isKnown ? map : nullptr;
}

static const link_map *ownMap() { return mapOf(&kHere); }

static std::string findOwnFolder() {
  const link_map *map = ownMap();
  if (!map)
    return "";
  // The loader has no name for the program itself, and argv[0] can be anything.
  llvm::SmallString<256> path(*map->l_name ? map->l_name : "/proc/self/exe");
  const std::error_code error = *map->l_name ? llvm::sys::fs::make_absolute(path)
                                             : llvm::sys::fs::real_path(path.str(), path);
  return error ? "" : llvm::sys::path::parent_path(path).str();
}

// Asks the loader only once: it answers only when no other thread opens a library, and NVRTC takes
// 5 to 170 ms to open.
std::string ownFolder() {
  static const Lasting<std::string> folder(findOwnFolder);
  return *folder;
}

static std::shared_ptr<void> closedLater(void *handle) {
  return {handle, [](void *opened) {
            if (opened)
              dlclose(opened);
          }};
}

// The program's symbols include those of libraries loaded with it, and of libraries opened with
// RTLD_GLOBAL, which stay loaded, too.
bool isThereFromStart() {
  const link_map *map = ownMap();
  if (!map || !*map->l_name)
    return map != nullptr;
  const std::shared_ptr<void> program = closedLater(dlopen(nullptr, RTLD_LAZY));
  const void *const found = program ? dlsym(program.get(), "specmvCreatePlan") : nullptr;
  return found && mapOf(found) == map;
}

std::shared_ptr<void> keepLoaded() {
  const link_map *map = ownMap();
  return closedLater(map && *map->l_name ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : nullptr);
}

// --- Python places -------------------------------------------------------------------------------

// Looks for a Python environment's NVIDIA packages by the names that pip and conda give to folders.

using PathList = std::vector<std::string>;

// Lists the entries of a folder whose names start like this, sorted, since folders are unordered;
// none if the folder cannot be read.
static PathList namedLike(const std::string &folder, llvm::StringRef start) {
  PathList out;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    if (llvm::sys::path::filename(it->path()).starts_with(start))
      out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

// Lists the library folders of NVIDIA packages below a prefix. Fedora has them in lib64, Debian's
// own Python in dist-packages.
static PathList libraryFolders(const std::string &prefix) {
  PathList out;
  for (const char *lib : {"/lib", "/lib64"})
    for (const std::string &python : namedLike(prefix + lib, "python3"))
      for (const char *packages : {"/site-packages/nvidia", "/dist-packages/nvidia"})
        for (const std::string &package : namedLike(python + packages, ""))
          out.push_back(package + "/lib");
  return out;
}

// Returns the first python3 or python on $PATH; "" if there is none. Relative folders are skipped:
// it is not safe to load machine code from the current directory.
static std::string pythonOnPath() {
  const std::string path = environment("PATH");
  llvm::SmallVector<llvm::StringRef, 16> folders;
  llvm::SplitString(path, folders, ":");
  for (const llvm::StringRef folder : folders)
    for (const char *name : {"/python3", "/python"})
      if (std::string program = folder.str() + name;
          llvm::sys::path::is_absolute(folder) && llvm::sys::fs::can_execute(program))
        return program;
  return "";
}

// Returns PREFIX for PREFIX/bin/python3.
static std::string prefixOf(llvm::StringRef program) {
  return llvm::sys::path::parent_path(llvm::sys::path::parent_path(program)).str();
}

// A venv's Python is a link, so the folder of the link comes first.
static PathList prefixesOfPython(const std::string &program) {
  if (program.empty())
    return {};
  PathList out = {prefixOf(program)};
  llvm::SmallString<256> real;
  if (!llvm::sys::fs::real_path(program, real) && prefixOf(real) != out.front())
    out.push_back(prefixOf(real));
  if (out.back() == "/usr") // pip installs there for a distribution's Python
    out.emplace_back("/usr/local");
  return out;
}

static void addExisting(llvm::ArrayRef<const char *> files, const PathList &folders,
                        PathList &paths) {
  for (const char *file : files)
    for (const std::string &folder : folders)
      if (std::string path = folder + "/" + file; llvm::sys::fs::exists(path))
        paths.push_back(std::move(path));
}

void addPackagesBeside(llvm::ArrayRef<const char *> files, const std::string &ownFolder,
                       PathList &paths) {
  PathList folders;
  for (const std::string &package : namedLike(ownFolder + "/../nvidia", ""))
    folders.push_back(package + "/lib");
  addExisting(files, folders, paths);
}

void addPythonPlaces(llvm::ArrayRef<const char *> files, PathList &paths) {
  if (const std::string venv = environment("VIRTUAL_ENV"); !venv.empty())
    addExisting(files, libraryFolders(venv), paths);
  if (const std::string conda = environment("CONDA_PREFIX"); !conda.empty()) {
    addExisting(files, libraryFolders(conda), paths);
    addExisting(files, {conda + "/lib"}, paths);
  }
  for (const std::string &prefix : prefixesOfPython(pythonOnPath()))
    addExisting(files, libraryFolders(prefix), paths);
}

// --- Toolkit version -----------------------------------------------------------------------------

// Reads versions from file names. To open a library would cost more: NVRTC registers 3,000 handlers
// of exit(), and a library that has been opened stays open.

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

// Returns 12.8 for "12.8.93", 12.-1 for "12".
static ToolkitVersion parsed(llvm::StringRef numbers) {
  ToolkitVersion out;
  if (numbers.consumeInteger(10, out.major))
    return {};
  if (numbers.consume_front("."))
    if (numbers.consumeInteger(10, out.minor))
      out.minor = -1;
  return out;
}

static ToolkitVersion versionInName(llvm::StringRef file) {
  return parsed(path::filename(file).split(".so.").second);
}

// Returns the file in the first folder of LD_LIBRARY_PATH that has it, or else in the loader's
// list; the name if it is in neither. The list is a binary file, in which paths end with a zero
// byte.
static std::string foundByLoader(const std::string &name) {
  const std::string set = environment("LD_LIBRARY_PATH");
  llvm::SmallVector<llvm::StringRef, 8> folders;
  llvm::SplitString(set, folders, ":;");
  for (const llvm::StringRef folder : folders)
    if (std::string file = folder.str() + "/" + name; fs::exists(file))
      return file;
  const auto list = ReadFile::open("/etc/ld.so.cache");
  const auto read = list ? list->read(0, list->size()) : std::nullopt;
  const llvm::StringRef bytes = read ? viewOf(*read) : "";
  const std::string end = "/" + name + '\0';
  const size_t at = bytes.find(end);
  if (at == llvm::StringRef::npos)
    return name;
  const size_t begin = bytes.rfind('\0', at) + 1; // 0 if there is none before
  return bytes.slice(begin, at + end.size() - 1).str();
}

ToolkitVersion versionOf(const std::string &file, const char *beside) {
  const std::string found = path::has_parent_path(file) ? file : foundByLoader(file);
  llvm::SmallString<256> real;
  if (fs::real_path(found, real))
    real = found;
  ToolkitVersion out = versionInName(real);
  if (out.minor >= 0 || !beside)
    return out;
  std::error_code error;
  for (fs::directory_iterator it(path::parent_path(real), error), end; it != end && !error;
       it.increment(error))
    if (path::filename(it->path()).starts_with(beside))
      if (const ToolkitVersion one = versionInName(it->path()); one.major == out.major)
        out = std::max(out, one);
  return out;
}

void sortByVersion(std::vector<std::string> &files, const char *beside, int mostMajor) {
  struct Known {
    std::string file;
    ToolkitVersion version;
    int group; // 0 and 1: up to and above the limit, 2: not there
  };
  std::vector<Known> all;
  for (std::string &file : files) {
    const bool isThere = !path::has_parent_path(file) || fs::exists(file);
    const ToolkitVersion version = isThere ? versionOf(file, beside) : ToolkitVersion{};
    all.push_back({std::move(file), version, !isThere ? 2 : version.major > mostMajor ? 1 : 0});
  }
  llvm::stable_sort(all, [](const Known &a, const Known &b) {
    if (a.group != b.group)
      return a.group < b.group;
    return a.group == 0 ? b.version < a.version : a.group == 1 && a.version < b.version;
  });
  llvm::transform(all, files.begin(), [](Known &one) { return std::move(one.file); });
}

// --- Whole library -------------------------------------------------------------------------------

// Compares the size that the ELF headers of a library imply with the size of its file.

// Reads a structure of the file.
template <class T> static bool readAt(const ReadFile &file, uint64_t offset, T &out) {
  const auto bytes = file.read(offset, sizeof out);
  if (bytes)
    std::memcpy(&out, bytes->data(), sizeof out);
  return bytes.has_value();
}

// Returns where `size` bytes from `offset` end; the largest number if that overflows.
static uint64_t endOf(uint64_t offset, uint64_t size) {
  return offset + std::min(size, UINT64_MAX - offset);
}

// Returns how many bytes the file must have for the header's tables and the mapped segments.
static uint64_t promisedBytes(const ReadFile &file, const Elf64_Ehdr &header) {
  const uint64_t programs = endOf(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  uint64_t promised =
      std::max(programs, endOf(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize));
  for (uint64_t i = 0; i < header.e_phnum && programs <= file.size(); ++i) {
    Elf64_Phdr segment{};
    if (!readAt(file, header.e_phoff + i * sizeof segment, segment))
      break; // the file was truncated meanwhile
    if (segment.p_type == PT_LOAD)
      promised = std::max(promised, endOf(segment.p_offset, segment.p_filesz));
  }
  return promised;
}

std::string whyNotWhole(const std::string &path) {
  const auto file = ReadFile::open(path);
  if (!file)
    return llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path)
               ? "this is not a regular file"
               : "";
  Elf64_Ehdr header{};
  if (!readAt(*file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return "";
  const uint64_t promised = promisedBytes(*file, header);
  if (promised <= file->size())
    return "";
  return llvm::formatv(
      "the file has {0} bytes, but its ELF headers describe {1}; it is truncated, so reinstall it",
      file->size(), promised);
}

// --- Places --------------------------------------------------------------------------------------

// Lists the places where the toolkit's libraries may be on this machine, and opens one from there.

using FileNames = llvm::ArrayRef<const char *>;

// NVIDIA's installers put a toolkit here; installers that are not packages do not add it to the
// loader's path. It is a path of the machine that runs, which only its administrator can write to.
// Paths of the build machine are in no binary, since another user may own them here.
constexpr const char *kSystemToolkit = "/usr/local/cuda";

// CMake links the build's toolkit under this name into the build folder. It is not installed.
constexpr const char *kLinkInBuildFolder = "/specmv-toolkit";

namespace {
struct PassedOver {
  ForkMutex mutex; // guards the rest
  std::vector<std::string> warnings;
};
} // namespace

static PassedOver &passedOver() {
  static Lasting<PassedOver> it;
  return *it;
}

// Adds the folders of a toolkit that have libraries. CUPTI may have its own, which comes last.
static void addHome(const std::string &home, FileNames files, std::vector<std::string> &paths) {
  for (const char *file : files)
    for (const char *folder : {"/lib64/", "/lib/", "/extras/CUPTI/lib64/"})
      paths.push_back(home + folder + file);
}

// Adds files in specmv's own folder and, for a tool in bin/, in lib64/ and lib/ beside it. Only
// existing files are added, so that an error about a missing library does not list folders that the
// user did not mention.
static void addOwnFolder(FileNames files, std::vector<std::string> &paths) {
  const std::string own = ownFolder();
  if (own.empty())
    return;
  for (const char *file : files)
    for (const char *folder : {"/", "/../lib64/", "/../lib/"})
      if (const std::string path = own + folder + file; llvm::sys::fs::exists(path))
        paths.push_back(path);
  if (const std::string built = own + kLinkInBuildFolder; llvm::sys::fs::is_directory(built))
    addHome(built, files, paths);
  addPackagesBeside(files, own, paths);
}

static std::vector<std::string> chosenByUser(FileNames files) {
  std::vector<std::string> paths;
  if (const std::string home = environmentPath(environment("SPECMV_CUDA_HOME")); !home.empty())
    addHome(home, files, paths);
  return paths;
}

static std::vector<std::string> foundByUs(FileNames files) {
  std::vector<std::string> paths;
  addOwnFolder(files, paths);
  addPythonPlaces(files, paths);
  paths.insert(paths.end(), files.begin(), files.end());
  addHome(kSystemToolkit, files, paths);
  return paths;
}

std::vector<std::string> toolkitCandidates(FileNames files) {
  std::vector<std::string> paths = chosenByUser(files);
  llvm::append_range(paths, foundByUs(files));
  return paths;
}

static llvm::Error absentFromToolkit(const ToolkitLibrary &library) {
  return absent(llvm::formatv(
      "no {0}: {1} was not found in SPECMV_CUDA_HOME, beside specmv, in a Python environment, on "
      "the loader's path, or in {2}; install NVIDIA's package {3}, or run 'pip install {4}', or "
      "set SPECMV_CUDA_HOME to the folder of a CUDA toolkit",
      library.name, library.files.front(), kSystemToolkit, library.aptPackage, library.pipPackage));
}

static void notePassedOver(llvm::Error error, const ToolkitLibrary &library,
                           const std::string &used) {
  const bool isBroken = !error.isA<AbsentError>();
  const std::string why = describe(std::move(error)).second;
  if (!isBroken)
    return;
  warnOfToolkit(llvm::formatv(
      "SPECMV_CUDA_HOME: {0}; using {1} as {2} instead; repair that file, or name another toolkit",
      why, used, library.name));
}

static std::vector<std::string> foundByUs(const ToolkitLibrary &library) {
  std::vector<std::string> paths = foundByUs(library.files);
  if (library.newestUpTo > 0)
    sortByVersion(paths, library.beside, library.newestUpTo);
  return paths;
}

llvm::Expected<DynamicLibrary> openFromToolkit(const ToolkitLibrary &library) {
  auto chosen = DynamicLibrary::open(chosenByUser(library.files), library.beside);
  if (chosen)
    return chosen;
  llvm::Error why = chosen.takeError();
  auto found = DynamicLibrary::open(foundByUs(library), library.beside);
  if (found) {
    notePassedOver(std::move(why), library, found->path());
    return found;
  }
  why = moreInformative(std::move(why), found.takeError());
  if (!why.isA<AbsentError>())
    return prefixed((std::string("no ") + library.name + ": ").c_str(), std::move(why));
  llvm::consumeError(std::move(why));
  return absentFromToolkit(library);
}

void warnOfToolkit(std::string sentence) {
  const std::lock_guard lock(passedOver().mutex);
  passedOver().warnings.push_back(std::move(sentence));
}

std::vector<std::string> takeToolkitWarnings() {
  const std::lock_guard lock(passedOver().mutex);
  return std::exchange(passedOver().warnings, {});
}

std::string whyNotCudaHome() {
  const std::string home = environmentPath(environment("SPECMV_CUDA_HOME"));
  const std::string why = home.empty() ? "" : whyNotReadable(home);
  return why.empty() ? ""
                     : "SPECMV_CUDA_HOME: " + why + "; searching the other places for a toolkit";
}

} // namespace specmv
