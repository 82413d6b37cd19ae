// Runs processes by posix_spawn with their output in files, which cannot fill up like a pipe.
#include "tests/tool/tool_testing.h"

#include "generator/format.h"

#include <cstring>
#include <fcntl.h>
#include <pty.h>
#include <regex>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tooltest {

namespace {

const ScratchDirectory &directory() {
  static const ScratchDirectory it("specmv-tool");
  return it;
}

std::string nameOf(const std::string &entry) { return entry.substr(0, entry.find('=')); }

// NAME=value sets, NAME unsets.
void put(Strings &environment, const std::string &change) {
  std::erase_if(environment,
                [&](const std::string &entry) { return nameOf(entry) == nameOf(change); });
  if (change.find('=') != std::string::npos)
    environment.push_back(change);
}

Strings environmentWith(const Strings &changes) {
  Strings out;
  for (char **entry = environ; *entry; ++entry)
    out.push_back(*entry);
  for (const char *unset : {"SPECMV_CACHE_PATH", "SPECMV_LOG", "SPECMV_DUMP"})
    put(out, unset);
  put(out, "SPECMV_CACHE_DIR=" + scratch("cache"));
  put(out, "CUDA_VISIBLE_DEVICES="); // the fake driver does not ask for it
  put(out, "SPECMV_STANDARD_PACK="); // one in the build folder would hide what is not compiled
  // clang 14's leak check crashes on the thread-local storage of NVRTC if it intercepts it.
  put(out, "ASAN_OPTIONS=intercept_tls_get_addr=0");
  for (const std::string &change : changes)
    put(out, change);
  return out;
}

std::vector<char *> pointers(Strings &strings) {
  std::vector<char *> out;
  for (std::string &string : strings)
    out.push_back(string.data());
  out.push_back(nullptr);
  return out;
}

} // namespace

std::string scratch(const std::string &name) { return directory().path() + "/" + name; }

namespace {

// Starts a program with these files as standard output and standard error.
pid_t spawned(const std::string &program, const Strings &arguments, const Setting &setting,
              const std::string &out, const std::string &err) {
  Strings argv = arguments, environment = environmentWith(setting.environment);
  argv.insert(argv.begin(), program);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, program.c_str(), &actions, nullptr, pointers(argv).data(),
                      pointers(environment).data()) == 0);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

int statusOf(pid_t child) {
  int how = 0;
  REQUIRE(waitpid(child, &how, 0) == child);
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

} // namespace

Outcome runProgram(const std::string &program, const Strings &arguments, const Setting &setting) {
  const std::string out = setting.out.empty() ? scratch("stdout") : setting.out;
  const std::string err = scratch("stderr");
  const int status = statusOf(spawned(program, arguments, setting, out, err));
  return {status, setting.out.empty() ? readFile(out) : "", readFile(err)};
}

Setting onFakeGpu(const Strings &more) {
  Setting out{{"LD_LIBRARY_PATH=" SPECMV_FAKE_CUDA, "SPECMV_FAKE_GPU=1", "SPECMV_FAKE_CUSPARSE=1",
               "SPECMV_CUDA_HOME=" SPECMV_FAKE_NEWEST},
              ""};
  out.environment.insert(out.environment.end(), more.begin(), more.end());
  return out;
}

Outcome toolOnTerminal(const Strings &arguments, const Setting &setting, const std::string &awaited,
                       const std::function<void()> &whenShown) {
  int own = 0, other = 0;
  char name[64] = "";
  REQUIRE(openpty(&own, &other, name, nullptr, nullptr) == 0);
  const pid_t child = spawned(SPECMV_TOOL, arguments, setting, name, name);
  close(other); // so that reading ends with the child
  std::string shown;
  bool waits = static_cast<bool>(whenShown);
  char bytes[4096];
  for (ssize_t got = 0; (got = read(own, bytes, sizeof bytes)) > 0;) {
    shown.append(bytes, static_cast<size_t>(got));
    if (waits && shown.find(awaited) != std::string::npos)
      waits = false, whenShown();
  }
  close(own);
  return {statusOf(child), shown, ""};
}

Outcome tool(const Strings &arguments, const Setting &setting) {
  return runProgram(SPECMV_TOOL, arguments, setting);
}

std::string fileOf(const std::string &name, const std::string &bytes) {
  writeFile(scratch(name), bytes);
  return scratch(name);
}

Strings linesOf(const std::string &text) {
  Strings out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

int messages(const Outcome &outcome, const std::string &kind) {
  static const std::regex message(R"(^(.+?:(\d+:\d+:)? )?(error|warning|note): \S.*$)");
  static const std::regex caret(R"(^\s*[~ ]*\^[~ ]*$)");
  const Strings lines = linesOf(outcome.err);
  int count = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch parts;
    const bool isMessage = std::regex_match(lines[i], parts, message);
    CHECK_MESSAGE(isMessage, "no message: '" << lines[i] << "' in: " << outcome.err);
    if (!isMessage)
      continue;
    count += parts[3] == kind;
    if (parts[2].length() == 0)
      continue;
    const bool quotes = i + 2 < lines.size() && std::regex_match(lines[i + 2], caret);
    CHECK_MESSAGE(quotes, "no quoted line and caret: " << outcome.err);
    i += 2;
  }
  return count;
}

void checkRefusal(const Outcome &outcome, int status) {
  INFO(outcome.err);
  CHECK(outcome.status == status);
  CHECK(messages(outcome, "error") == 1);
  CHECK(outcome.out == "");
}

llvm::json::Value document(const Outcome &outcome) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(outcome.out);
  if (value)
    return std::move(*value);
  FAIL("not one JSON document: " << llvm::toString(value.takeError()) << ": " << outcome.out
                                 << outcome.err);
  return nullptr;
}

std::vector<llvm::json::Object> objectsOf(const std::string &text) {
  std::vector<llvm::json::Object> out;
  for (const std::string &line : linesOf(text))
    out.push_back(*llvm::cantFail(llvm::json::parse(line)).getAsObject());
  return out;
}

llvm::json::Value analyzed(const Strings &arguments) {
  Strings call = {"analyze", "--json"};
  call.insert(call.end(), arguments.begin(), arguments.end());
  const Outcome outcome = tool(call);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(messages(outcome, "error") == 0);
  return document(outcome);
}

const llvm::json::Value *find(const llvm::json::Value &root, const std::string &path) {
  const llvm::json::Value *at = &root;
  std::istringstream names(path);
  for (std::string name; at && std::getline(names, name, '.');)
    at = at->getAsObject() ? at->getAsObject()->get(name) : nullptr;
  return at;
}

double number(const llvm::json::Value &root, const std::string &path) {
  const llvm::json::Value *value = find(root, path);
  REQUIRE_MESSAGE((value && value->getAsNumber()), "no number " << path);
  return *value->getAsNumber();
}

std::string text(const llvm::json::Value &root, const std::string &path) {
  const llvm::json::Value *value = find(root, path);
  REQUIRE_MESSAGE((value && value->getAsString()), "no text " << path);
  return value->getAsString()->str();
}

bool flag(const llvm::json::Value &root, const std::string &path) {
  const llvm::json::Value *value = find(root, path);
  REQUIRE_MESSAGE((value && value->getAsBoolean()), "no boolean " << path);
  return *value->getAsBoolean();
}

const llvm::json::Array &array(const llvm::json::Value &root, const std::string &path) {
  const llvm::json::Value *value = find(root, path);
  REQUIRE_MESSAGE((value && value->getAsArray()), "no array " << path);
  return *value->getAsArray();
}

Strings withFormat(Strings call, const std::string &format) {
  call.insert(call.end(), {"--format", format});
  if (specmv::findSettable(specmv::findFormat(format)->parameters, "hyb.k"))
    call.insert(call.end(), {"--set", "hyb.k=3"});
  return call;
}

Outcome emitted(const std::string &matrix, const Strings &more) {
  Strings call = {"emit", matrix};
  call.insert(call.end(), more.begin(), more.end());
  Outcome outcome = tool(call);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  return outcome;
}

std::string withoutHeader(const std::string &source) {
  const size_t at = source.find("// z = alpha A x");
  return at == std::string::npos ? source : source.substr(at);
}

bool compiles() {
  static const Outcome trial =
      tool({"emit", "stencil5:n=2", "--format", "ell", "--cubin", scratch("trial.cubin")});
  // A test may be skipped only if the machine lacks the compiler.
  const bool lacks = trial.status == 3 && trial.err.find("NVRTC") != std::string::npos;
  if (lacks)
    MESSAGE("skipped: no kernel compiles here: " << trial.err);
  return !lacks;
}

} // namespace tooltest
