// Runs the tool as a user's shell does and takes apart what it says: status, standard output,
// messages and JSON.
#pragma once

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>
#include <llvm/Support/JSON.h>

#include <functional>
#include <string>
#include <vector>

namespace tooltest {

using Strings = std::vector<std::string>;

struct Outcome {
  int status; // 128 + the signal if one ended it
  std::string out;
  std::string err;
};

struct Setting {
  Strings environment; // NAME=value, or NAME to unset it
  std::string out;     // where standard output goes; empty: into the Outcome
};

// A program with the environment of this one, in which the cache is a scratch directory.
Outcome runProgram(const std::string &program, const Strings &arguments,
                   const Setting &setting = {});
Outcome tool(const Strings &arguments, const Setting &setting = {});

// The same on a terminal, for standard output and standard error together: out has both. Calls
// `whenShown`, once, when `awaited` was shown.
Outcome toolOnTerminal(const Strings &arguments, const Setting &setting = {},
                       const std::string &awaited = {},
                       const std::function<void()> &whenShown = {});

// Arguments that ask for a format, behind `call`. Where no row is longer than HYB's K it would be
// ELL, unless K is fixed.
Strings withFormat(Strings call, const std::string &format);

// What emit says with these arguments behind the matrix; it must succeed and report nothing.
Outcome emitted(const std::string &matrix, const Strings &more = {});

// A source without the comments before it that tell what made it, which differ from call to call.
std::string withoutHeader(const std::string &source);

// A scratch directory for all tests of this program, and paths in it.
std::string scratch(const std::string &name);

// A file of that name in it with this text.
std::string fileOf(const std::string &name, const std::string &bytes);

Strings linesOf(const std::string &text);
// The lines of JSON.
std::vector<llvm::json::Object> objectsOf(const std::string &text);

// How many lines are messages of this kind ("error", ...). Every other line of err must belong to
// a file error, as its quoted line or its caret; one that does not fails the test.
int messages(const Outcome &outcome, const std::string &kind);

// Status, exactly one error message, and no standard output.
void checkRefusal(const Outcome &outcome, int status);

// Standard output as the one JSON document that it must be.
llvm::json::Value document(const Outcome &outcome);

// What analyze --json says with these arguments, without an error.
llvm::json::Value analyzed(const Strings &arguments);

// The value at "profile.pmf"; null if there is none.
const llvm::json::Value *find(const llvm::json::Value &root, const std::string &path);
double number(const llvm::json::Value &root, const std::string &path);
std::string text(const llvm::json::Value &root, const std::string &path);
bool flag(const llvm::json::Value &root, const std::string &path);
const llvm::json::Array &array(const llvm::json::Value &root, const std::string &path);

// Whether kernels can be compiled here; says why if not, in the words that ctest looks for.
bool compiles();

} // namespace tooltest
