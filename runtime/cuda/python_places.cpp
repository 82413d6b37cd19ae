// Looks for a Python environment's NVIDIA packages by the names that pip and conda give to folders.
#include "runtime/cuda/python_places.h"

#include "models/base/environment.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace specmv {

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

} // namespace specmv
