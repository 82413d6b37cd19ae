// Tests libspecmv.so as a guest in another program's process: its exports and dependencies, and
// that it can be loaded, used and unloaded beside another LLVM. This program does not link it.
#include "tests/load/library.h"
#include "tests/runtime/child_process.h"

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <filesystem>
#include <iostream>
#include <link.h>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

OwnCache ownCache("specmv-load");

using Names = std::set<std::string>;

std::string outputOf(const std::string &command) {
  std::string out;
  FILE *pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  for (int c; (c = fgetc(pipe)) != EOF;)
    out += static_cast<char>(c);
  CHECK(pclose(pipe) == 0);
  return out;
}

Names matches(const std::string &text, const char *pattern) {
  const std::regex expression(pattern);
  Names out;
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it)
    out.insert((*it)[1]);
  return out;
}

std::string joined(const Names &names) {
  std::string out;
  for (const std::string &name : names)
    out += name + " ";
  return out;
}

// Multiplies a tridiagonal matrix of n rows by ones: the result is 0 inside and 1 at both ends.
// Causes an error in between, so that this thread's error message is used as well.
bool multiplies(const Library &specmv, int n) {
  const Tridiagonal matrix(n);
  specmvMatrix_t a = nullptr;
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options{};
  options.structSize = sizeof options;
  options.target = SPECMV_TARGET_HOST;
  options.compileOnHost = 1;
  const double one = 1, zero = 0;
  std::vector<double> x(n, 1.0), y(n, 5.0), expected(n, 0.0);
  expected.front() = expected.back() = 1;
  const bool done = !matrix.create(specmv, a) && !specmv.specmvCreatePlan(&plan, a, &options) &&
                    specmv.specmvExecute(plan, &one, nullptr, &zero, y.data(), nullptr) ==
                        SPECMV_STATUS_INVALID_VALUE &&
                    *specmv.specmvGetLastErrorDetail() &&
                    !specmv.specmvExecute(plan, &one, x.data(), &zero, y.data(), nullptr);
  specmv.specmvDestroyPlan(plan);
  specmv.specmvDestroyMatrix(a);
  return done && y == expected;
}

void *openOtherLlvm() {
  for (const char *name : {"libLLVM-14.so.1", "libLLVM-15.so.1", "libLLVM.so.19.1"})
    if (void *other = dlopen(name, RTLD_NOW | RTLD_GLOBAL))
      return other;
  return nullptr;
}

// Uses a part of the other LLVM that registers itself globally.
bool otherLlvmWorks(void *other) {
  const auto create = reinterpret_cast<void *(*)()>(dlsym(other, "LLVMContextCreate"));
  const auto dispose = reinterpret_cast<void (*)(void *)>(dlsym(other, "LLVMContextDispose"));
  const auto parse = reinterpret_cast<void (*)(int, const char *const *, const char *)>(
      dlsym(other, "LLVMParseCommandLineOptions"));
  if (!create || !dispose || !parse)
    return false;
  void *context = create();
  const char *arguments[] = {"load_test"};
  parse(1, arguments, "");
  dispose(context);
  return context != nullptr;
}

// Links to the toolkit's NVRTC in `folder` under the name `name`. Returns false if there is no
// NVRTC.
bool linkNvrtc(const std::filesystem::path &folder, const char *name) {
  namespace fs = std::filesystem;
  fs::create_directories(folder);
  for (const char *lib : {"lib64", "lib"}) {
    const fs::path from = fs::path(SPECMV_TESTED_CUDA_HOME) / lib;
    if (!fs::exists(from / "libnvrtc.so"))
      continue;
    fs::create_symlink(from / "libnvrtc.so", folder / name);
    for (const fs::directory_entry &entry : fs::directory_iterator(from))
      if (entry.path().filename().string().rfind("libnvrtc-builtins.so.", 0) == 0)
        fs::create_symlink(entry.path(), folder / entry.path().filename());
    return true;
  }
  return false;
}

// Uses a copy of the library at `path` in its own process. Returns the output, with the path of
// every library that it had loaded.
std::string useOf(const std::filesystem::path &path, const std::string &cudaHome) {
  std::filesystem::create_directories(path.parent_path());
  std::filesystem::copy_file(SPECMV_LIBRARY, path);
  const std::string output = path.string() + ".txt";
  CHECK(runAlone("child: a copy of the library*",
                 {{"SPECMV_TESTED_COPY", path}, {"SPECMV_CUDA_HOME", cudaHome}}, output) == 0);
  return readFile(output);
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("libspecmv.so exports the functions of the C headers and nothing else") {
  std::string headers;
  for (const auto &file : std::filesystem::directory_iterator(SPECMV_SOURCE_DIR "/runtime/include"))
    if (file.path().extension() == ".h")
      headers += readFile(file.path());
  const Names declared = matches(headers, R"(SPECMV_API[^;(]*\b(specmv\w+)\()");
  REQUIRE(declared.size() >= 30);
  const Names exported =
      matches(outputOf("nm -D --defined-only '" SPECMV_LIBRARY "'"), "[0-9a-f] [^A] ([^@\\s]+)");
  CHECK(joined(exported) == joined(declared));
}

TEST_CASE("libspecmv.so needs the compiler's run time and libc only") {
  const Names allowed = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6",
                         "ld-linux-x86-64.so.2"};
  const Names all = matches(outputOf("readelf -d '" SPECMV_LIBRARY "'"), R"(NEEDED.*\[(.*)\])");
  CHECK(all.count("libc.so.6") == 1);
  for (const std::string &needed : all)
    CHECK_MESSAGE(allowed.count(needed) == 1, needed);
}

TEST_CASE("it can be loaded, used by several threads and unloaded again and again") {
  REQUIRE(mappings() == 0); // nothing loaded it before
  for (int round = 0; round < 5; ++round) {
    const Library specmv;
    CHECK(multiplies(specmv, 100000));
    bool inThread = false;
    std::thread([&] { inThread = multiplies(specmv, 10); }).join();
    CHECK(inThread);
    CHECK(mappings() > 0);
  }
}

TEST_CASE("it lives beside another LLVM, loaded before it or after it") {
  {
    const Library first;
    CHECK(multiplies(first, 1000));
  }
  void *other = openOtherLlvm();
  if (!other) {
    MESSAGE("skipped: there is no other libLLVM here");
    return;
  }
  {
    const Library second;
    CHECK(multiplies(second, 1000));
    CHECK(otherLlvmWorks(other));
    CHECK(multiplies(second, 1001));
  }
  CHECK(otherLlvmWorks(other)); // after ours has gone
}

TEST_CASE("child: a copy of the library compiles a kernel" * doctest::skip()) {
  const Library specmv(std::getenv("SPECMV_TESTED_COPY"));
  CHECK(multiplies(specmv, 1000));
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *) {
        std::cout << "loaded " << info->dlpi_name << "\n";
        return 0;
      },
      nullptr);
}

TEST_CASE("NVRTC is found beside the library, wherever that was moved to") {
  const ScratchDirectory directory("specmv-beside");
  const std::filesystem::path root = directory.path();
  if (!linkNvrtc(root / "lib", "libnvrtc.so.13")) {
    MESSAGE("skipped: there is no NVRTC in " SPECMV_TESTED_CUDA_HOME);
    return;
  }
  const std::string beside = root / "lib/libnvrtc.so.13";
  CHECK(contains(useOf(root / "lib/libspecmv.so", ""), "loaded " + beside));
  CHECK(contains(useOf(root / "bin/libspecmv.so", ""), "/../lib/libnvrtc.so.13"));

  // SPECMV_CUDA_HOME has precedence even though the library there has an older name.
  linkNvrtc(root / "home/lib64", "libnvrtc.so.12");
  CHECK(contains(useOf(root / "lib/libother.so", root / "home"),
                 "loaded " + (root / "home/lib64/libnvrtc.so.12").string()));
}
