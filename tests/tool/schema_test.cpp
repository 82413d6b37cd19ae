// Tests that every document and every line of JSON states its schema and the version that wrote it,
// and has the same shape for any number of types.
#include "runtime/cli/json.h"
#include "tests/tool/measured_file.h"
#include "tests/tool/tool_testing.h"

using namespace tooltest;

namespace {

void checkStamp(const llvm::json::Object &object, const std::string &what) {
  CHECK_MESSAGE(object.getInteger("schema") == 1, what);
  CHECK_MESSAGE(object.getString("specmv") == llvm::StringRef(SPECMV_TESTED_VERSION), what);
}

// The papers' models may price a matrix in one type only, and params belong to a format.
bool mayDiffer(llvm::StringRef name, const llvm::json::Value &value) {
  return name == "params" || (value.getAsObject() && (name == "strips" || name == "statistics"));
}

// Returns the names and kinds of values, including those of nested objects; of an array, those of
// its first element.
std::string shapeOf(const llvm::json::Value &value) {
  std::string out;
  if (const llvm::json::Object *object = value.getAsObject())
    for (const auto &[name, inner] : *object)
      out += name.str() + (mayDiffer(name, inner) ? "" : "{" + shapeOf(inner) + "}") + " ";
  else if (const llvm::json::Array *list = value.getAsArray())
    out = "[" + (list->empty() ? "" : shapeOf(list->front())) + "]";
  else
    out = value.getAsString() ? "text" : value.getAsNumber() ? "number" : "other";
  return out;
}

std::string withoutFurther(llvm::json::Value document) {
  document.getAsObject()->erase("further");
  return shapeOf(document);
}

} // namespace

TEST_CASE("every document has a schema and a version") {
  const std::string m = "stencil5:n=4", pack = scratch("schema.pack");
  const std::vector<Strings> calls = {{"analyze", m},
                                      {"run", m, "--target", "host"},
                                      {"emit", m},
                                      {"generate", "--list"},
                                      {"generate", m, "-o", scratch("schema.mtx")},
                                      {"pregen", m, "--format", "ell", "-o", pack},
                                      {"pregen", m, "--format", "ell", "--coverage", pack},
                                      {"cache", "list"},
                                      {"cache", "size"},
                                      {"cache", "verify"},
                                      {"cache", "path"},
                                      {"cache", "prune"},
                                      {"cache", "export", scratch("exported.pack")},
                                      {"cache", "import", pack},
                                      {"cache", "forget", "stencil5:n=4"},
                                      {"cache", "clear"}};
  for (const Strings &call : calls) {
    Strings json = call;
    json.insert(json.end(), {"--json", "--quiet"});
    const auto said = document(tool(json, {{"SPECMV_CACHE_DIR=" + scratch("schema")}, ""}));
    REQUIRE(said.getAsObject());
    checkStamp(*said.getAsObject(), call[0] + " " + call[1]);
  }
}

TEST_CASE("a document has one shape whatever the number of types") {
  for (const char *verb : {"analyze", "run"}) {
    const auto of = [&](const char *types) {
      return document(tool({verb, "stencil5:n=4", "--target", "host", "--format", "ell", "--json",
                            "--quiet", "--type", types}));
    };
    const auto one = of("f32"), two = of("f32,f64");
    CHECK(array(one, "further").empty());
    REQUIRE(array(two, "further").size() == 1);
    CHECK(withoutFurther(one) == withoutFurther(two));
    llvm::json::Value second = array(two, "further").front();
    for (const char *name : {"schema", "specmv"}) {
      CHECK(find(second, name) == nullptr);
      (*second.getAsObject())[name] = *find(two, name);
    }
    CHECK(shapeOf(second) == withoutFurther(two));
  }
}

TEST_CASE("lines of JSON have a schema and a version, and are read with and without") {
  const std::string old = benchFile("unstamped.jsonl");
  const Outcome judged = tool({"evaluate", "--json", "--quiet", "--measured", old});
  CHECK(judged.status == 0);
  const auto lines = objectsOf(judged.out);
  REQUIRE(lines.size() > 3);
  for (size_t i = 1; i < lines.size(); ++i) // the first says which version measured
    checkStamp(lines[i], "line " + std::to_string(i + 1));
  CHECK(lines.front().getInteger("schema") == 1);
  const std::string stamped = fileOf("stamped.jsonl", judged.out);
  const Outcome again = tool({"evaluate", "--json", "--quiet", "--measured", stamped});
  CHECK(again.out == judged.out);
}

TEST_CASE("a stamp does not replace the version of who measured") {
  const auto line =
      specmv::cli::stamped("bench", llvm::json::Object{{"specmv", "0.0.1"}, {"machine", "x"}});
  CHECK(line.getString("specmv") == llvm::StringRef("0.0.1"));
  CHECK(line.getInteger("schema") == 1);
}
