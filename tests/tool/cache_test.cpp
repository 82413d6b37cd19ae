// Tests the verb cache: what its words print and remove, bad calls, and packs from and for a cache.
#include "tests/runtime/store/aged.h"
#include "tests/text.h"
#include "tests/tool/tool_testing.h"
#include <cstdlib>

using namespace tooltest;
using namespace std::chrono_literals;
using specmv::testing::contains;

namespace {

// Uses the compiler that answers immediately, and the cache of that name.
Setting inCache(const std::string &name, const Strings &more = {}) {
  Setting out = {{"SPECMV_CUDA_HOME=" SPECMV_FAKE_TOOLKIT, "SPECMV_CACHE_DIR=" + scratch(name)},
                 ""};
  llvm::append_range(out.environment, more);
  return out;
}

Outcome cacheTool(const Strings &words, const std::string &name, const Strings &more = {}) {
  Strings call = {"cache"};
  llvm::append_range(call, words);
  return tool(call, inCache(name, more));
}

// Fills a cache with the kernels and choices of two matrices.
std::string filled(const std::string &name) {
  for (const char *matrix : {"stencil5:n=9", "random:k=3,rows=50"})
    REQUIRE(tool({"run", matrix, "--target=host", "--quiet"}, inCache(name)).status == 0);
  return scratch(name);
}

llvm::json::Value answered(const Strings &words, const std::string &name) {
  Strings call = words;
  call.emplace_back("--json");
  const Outcome outcome = cacheTool(call, name);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  return document(outcome);
}

} // namespace

TEST_CASE("cache list has a line an entry, with what is known of it") {
  filled("listed");
  const auto json = answered({"list"}, "listed");
  const auto &entries = array(json, "entries");
  REQUIRE(entries.size() == 4);
  for (const auto &entry : entries) {
    const bool isObject = text(entry, "kind") == "object";
    CHECK(text(entry, "arch") == "sm_90"); // a choice has that of its object
    CHECK(number(entry, "bytes") > 100);
    CHECK(number(entry, "ageSeconds") < 600);
    CHECK((text(entry, "format") == "dia" || text(entry, "format") == "ell"));
    CHECK(find(entry, "signature")->getAsNull().has_value() == isObject);
  }
  const Outcome lines = cacheTool({"list"}, "listed");
  CHECK(linesOf(lines.out).size() == 4);
  CHECK(contains(lines.out, " for the matrix "));
  CHECK(cacheTool({"list"}, "absent").out == "");
}

TEST_CASE("cache size adds up, and tells the bound") {
  const std::string root = filled("sized");
  uint64_t bytes = 0;
  for (const char *kind : {"/objects", "/wisdom"})
    for (const std::string &file : filesBelow(root + kind))
      bytes += std::filesystem::file_size(file);
  const auto json = answered({"size"}, "sized");
  CHECK(number(json, "bytes") == static_cast<double>(bytes));
  CHECK(number(json, "objects") == 2);
  CHECK(number(json, "choices") == 2);
  CHECK(number(json, "bound") == 1e9);
  CHECK(contains(cacheTool({"size"}, "sized", {"SPECMV_CACHE_SIZE=20M"}).out, "20.0 MB"));
  CHECK(contains(cacheTool({"size"}, "sized", {"SPECMV_CACHE_SIZE=0"}).out, "none"));
  const Outcome wrong = cacheTool({"size"}, "sized", {"SPECMV_CACHE_SIZE=1GB"});
  CHECK(messages(wrong, "warning") == 1);
  CHECK(contains(wrong.out, "1.0 GB"));
  CHECK(number(answered({"size"}, "absent"), "entries") == 0);
}

TEST_CASE("cache verify finds each bad entry, in packs and folders too") {
  const std::string root = filled("verified"), pack = scratch("verified.pack");
  REQUIRE(cacheTool({"export", pack}, "verified").status == 0);
  const Outcome good = cacheTool({"verify"}, "verified", {"SPECMV_CACHE_PATH=" + pack});
  CHECK(good.status == 0);
  CHECK(contains(good.out, "8 entries are good, 0 bad"));
  const std::string entry = filesBelow(root + "/objects").at(0);
  const std::string bytes = readFile(entry), packed = readFile(pack);
  std::string old = bytes;
  old[old.find(" 3 ") + 1] = '1';
  writeFile(entry, old);
  CHECK(contains(cacheTool({"verify"}, "verified").out, "3 entries are good, 0 bad, 1 of another"));
  writeFile(entry, bytes.substr(0, bytes.size() - 1));
  writeFile(pack, packed.substr(0, packed.size() - 1) + "?");
  const Outcome bad = cacheTool({"verify"}, "verified", {"SPECMV_CACHE_PATH=" + pack});
  CHECK(bad.status == 1);
  CHECK(messages(bad, "error") == 1);
  CHECK(messages(bad, "warning") == 2);
  CHECK(contains(bad.err, std::filesystem::path(entry).filename().string() + " is damaged"));
  CHECK(contains(bad.err, pack + ": the entry "));
  CHECK(contains(cacheTool({"list"}, "verified").out, "damaged"));
  // A former bug: a completely unreadable pack caused only a warning.
  for (const std::string &unread : {packed.substr(0, packed.size() - 1), std::string("no pack")}) {
    writeFile(pack, unread);
    const Outcome whole = cacheTool({"verify"}, "verified", {"SPECMV_CACHE_PATH=" + pack});
    CHECK(whole.status == 1);
    CHECK(contains(whole.out, "3 entries are good, 2 bad"));
    CHECK((messages(whole, "warning") == 2 && contains(whole.err, "'specmv cache clear' removes")));
    CHECK(contains(cacheTool({"verify"}, "empty", {"SPECMV_CACHE_PATH=" + pack}).err,
                   "make the packs and folders named above again"));
  }
  CHECK(contains(
      cacheTool({"verify"}, "verified", {"SPECMV_CACHE_PATH=" + scratch("absent.pack")}).out,
      "2 bad"));
  // An entry under another entry's name is not valid.
  const std::string other = filesBelow(root + "/wisdom").at(0),
                    name = other.substr(0, other.size() - 1);
  std::filesystem::rename(other, name + (other.back() == '0' ? '1' : '0'));
  CHECK(messages(cacheTool({"verify"}, "verified"), "warning") == 2);
}

// Former bugs: they were ignored, and no plan could store its kernel.
TEST_CASE("cache verify finds a folder in the place of an entry, and the other way round") {
  const std::string root = filled("folders"), entry = filesBelow(root + "/objects").at(0);
  std::filesystem::remove(entry);
  std::filesystem::create_directory(entry);
  const Outcome bad = cacheTool({"verify"}, "folders");
  CHECK((bad.status == 1 && contains(bad.out, "3 entries are good, 1 bad")));
  CHECK(contains(bad.err, entry + " is a folder where an entry belongs"));
  std::filesystem::rename(root + "/wisdom", root + "/former");
  writeFile(root + "/wisdom", "");
  CHECK(contains(cacheTool({"verify"}, "folders").err, root + "/wisdom is a file where a folder"));
}

TEST_CASE("cache prune leaves what is in use, and cache clear removes entries and nothing else") {
  const std::string root = filled("cleared");
  const Outcome used = cacheTool({"prune", "0"}, "cleared");
  CHECK(used.status == 0);
  CHECK(contains(used.out, "0 entries removed, 4 left"));
  CHECK(messages(used, "note") == 1);
  const std::string objects = root + "/objects", foreign = filesBelow(objects).at(0) + ".txt";
  setAge(filesBelow(objects).at(0), 5h);
  setAge(filesBelow(objects).at(1), 4h);
  CHECK(number(answered({"prune", "--size=1G"}, "cleared"), "removed") == 0);
  const Outcome boundless = cacheTool({"prune"}, "cleared", {"SPECMV_CACHE_SIZE=0"});
  CHECK(contains(boundless.out, "0 entries removed, 4 left"));
  CHECK(messages(boundless, "note") == 1);
  CHECK(filesBelow(objects).size() == 2);
  CHECK(number(answered({"prune", "--size", "1", "--quiet"}, "cleared"), "removed") == 2);
  filled("cleared");
  writeFile(foreign, "mine");
  writeFile(root + "/notes", "mine");
  CHECK(number(answered({"clear"}, "cleared"), "removed") == 4);
  CHECK(filesBelow(objects) == Strings{foreign});
  CHECK(std::filesystem::exists(root + "/notes"));
  CHECK(filesBelow(root + "/wisdom").empty());
  CHECK(number(answered({"clear"}, "absent"), "removed") == 0);
  CHECK(number(answered({"prune"}, "absent"), "removed") == 0);
  CHECK_FALSE(std::filesystem::exists(scratch("absent")));
}

// A former bug: the second process stopped with status 3.
TEST_CASE("two processes clear a cache at once, and leave a file of somebody else's") {
  const std::string root = filled("raced"), object = filesBelow(root + "/objects").at(0);
  for (int i = 0; i < 2000; ++i) {
    std::string id = std::filesystem::path(object).filename().string();
    id.replace(2, 4, std::to_string(1000 + i));
    std::filesystem::copy_file(object, std::filesystem::path(object).parent_path() / id);
  }
  const std::string mine = object.substr(0, object.size() - 4) + "0123";
  writeFile(mine, "mine");
  const std::string both = "SPECMV_CACHE_DIR='" + root +
                           "' SPECMV_CACHE_PATH= sh -c '" SPECMV_TOOL " cache clear & " SPECMV_TOOL
                           " cache clear && wait $!' >/dev/null 2>&1";
  CHECK(std::system(both.c_str()) == 0);
  CHECK(filesBelow(root + "/objects") == Strings{mine});
  CHECK(readFile(mine) == "mine");
}

TEST_CASE("an exported pack is the same when made again, runs, and is imported as it was") {
  const std::string root = filled("exported"), pack = scratch("exported.pack"),
                    again = scratch("again.pack");
  REQUIRE(cacheTool({"export", pack}, "exported").status == 0);
  REQUIRE(cacheTool({"export", again}, "exported").status == 0);
  CHECK(readFile(pack) == readFile(again));
  CHECK(cacheTool({"export", "-"}, "exported").out == readFile(pack));
  CHECK(contains(readFile(pack), " sm_90 ell\n"));
  const Outcome ran = tool({"run", "stencil5:n=9", "--target=host", "--only-packs", "--quiet"},
                           inCache("none", {"SPECMV_CACHE_PATH=" + pack}));
  CHECK(ran.status == 0);
  CHECK(ran.err == "");
  CHECK(number(answered({"import", pack}, "imported"), "entries") == 4);
  for (const char *folder : {"/objects", "/wisdom"})
    for (const std::string &file : filesBelow(root + folder))
      CHECK(readFile(scratch("imported") + file.substr(root.size())) == readFile(file));
  CHECK(number(answered({"import", pack}, "imported"), "entries") == 0);
  REQUIRE(cacheTool({"export", again}, "imported").status == 0);
  CHECK(readFile(pack) == readFile(again));
  // Nothing is imported from a damaged pack.
  const std::string bytes = readFile(pack);
  writeFile(pack, bytes.substr(0, bytes.size() - 1) + "?");
  const Outcome damaged = cacheTool({"import", pack}, "damaged");
  checkRefusal(damaged, 1);
  CHECK(contains(damaged.err, "entry 4 of 4 of the pack"));
  CHECK_FALSE(std::filesystem::exists(scratch("damaged")));
  std::filesystem::permissions(pack, std::filesystem::perms(0664));
  checkRefusal(cacheTool({"import", pack}, "damaged"), 1);
}

TEST_CASE("cache path names the folders and packs, its own first") {
  CHECK(cacheTool({"path"}, "named").out == scratch("named") + "\n");
  std::filesystem::create_directories(scratch("site"));
  const Outcome both = cacheTool({"path"}, "named", {"SPECMV_CACHE_PATH=" + scratch("site")});
  CHECK(both.out == scratch("named") + "\n" + scratch("site") + "\n");
  CHECK(both.err == "");
}

TEST_CASE("bad calls of cache name what is wrong, and a cache that is not trusted is refused") {
  for (const Strings &words : std::vector<Strings>{{},
                                                   {"lost"},
                                                   {"list", "x"},
                                                   {"export"},
                                                   {"import"},
                                                   {"prune", "x"},
                                                   {"prune", "1", "2"},
                                                   {"prune", "1", "--size=2"},
                                                   {"list", "--size=2"}})
    checkRefusal(cacheTool(words, "bad"), 2);
  checkRefusal(cacheTool({"import", scratch("no.pack")}, "bad"), 1);
  checkRefusal(cacheTool({"import", fileOf("nonsense", "x")}, "bad"), 1);
  const Strings unset{"SPECMV_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}, none{"SPECMV_CACHE_DIR="};
  CHECK(tool({"cache", "list"}, {unset, ""}).status == 3);
  CHECK(contains(tool({"cache", "list"}, {none, ""}).err, "SPECMV_CACHE_DIR is empty; unset"));
  filled("open");
  std::filesystem::permissions(scratch("open"), std::filesystem::perms(0777));
  for (const char *word : {"list", "size", "clear", "prune"}) {
    const Outcome refused = cacheTool({word}, "open");
    checkRefusal(refused, 1);
    CHECK(contains(refused.err, "'chmod go-w " + scratch("open") + "'"));
  }
  CHECK(filesBelow(scratch("open") + "/objects").size() == 2);
  const Outcome help = tool({"cache", "--help"});
  CHECK(help.status == 0);
  for (const char *word : {"Examples:", "export FILE", "specmv cache prune 200M", "--size"})
    CHECK_MESSAGE(contains(help.out, word), help.out);
}

// Former bugs: a file in place of the cache was taken as an empty cache, from which a pack without
// kernels was made.
TEST_CASE("a cache whose place is a file is refused, and a pack of no kernels is not made") {
  writeFile(scratch("a-file"), "mine");
  for (const Strings &words : std::vector<Strings>{{"list"},
                                                   {"size"},
                                                   {"verify"},
                                                   {"prune"},
                                                   {"clear"},
                                                   {"export", scratch("of-file.pack")}}) {
    const Outcome refused = cacheTool(words, "a-file");
    checkRefusal(refused, 1);
    CHECK(contains(refused.err, "the cache folder " + scratch("a-file") + " is a file"));
  }
  CHECK(readFile(scratch("a-file")) == "mine");
  const Outcome nothing = cacheTool({"export", scratch("nothing.pack")}, "nothing-yet");
  checkRefusal(nothing, 3);
  CHECK(contains(nothing.err, "there are no kernels in " + scratch("nothing-yet") + " to export"));
  CHECK_FALSE(std::filesystem::exists(scratch("nothing.pack")));
}

TEST_CASE("cache forget removes what was chosen for one matrix, and nothing else") {
  const std::string root = filled("forgetful"), matrix = "random:k=3,rows=50";
  const auto chosenBy = [&] {
    const Outcome run =
        tool({"run", matrix, "--target=host", "--quiet", "--json"}, inCache("forgetful"));
    return text(document(run), "chosenBy");
  };
  CHECK(chosenBy() == "wisdom");
  const auto json = answered({"forget", matrix}, "forgetful");
  CHECK(number(json, "removed") == 1);
  CHECK(text(json, "signature") == text(analyzed({matrix}), "signature"));
  CHECK(filesBelow(root + "/wisdom").size() == 1);
  CHECK(filesBelow(root + "/objects").size() == 2);
  CHECK(chosenBy() == "predicted");
  CHECK(number(answered({"forget", matrix, "--transpose"}, "forgetful"), "removed") == 0);

  // A signature is enough to forget. A choice in a read-only place is reported and stays.
  const std::string signature = scratch("forgotten.sig");
  REQUIRE(tool({"analyze", matrix, "--signature", signature}).status == 0);
  const Outcome elsewhere =
      cacheTool({"forget", signature}, "forgetful elsewhere", {"SPECMV_CACHE_PATH=" + root});
  CHECK(contains(elsewhere.out, "0 choices for the matrix "));
  CHECK(contains(elsewhere.err, "note: 1 choice for this matrix in packs and read-only folders"));
  CHECK(contains(cacheTool({"forget", signature}, "forgetful").out, "1 choice for the matrix "));

  checkRefusal(cacheTool({"forget"}, "forgetful"), 2);
  checkRefusal(cacheTool({"forget", matrix, matrix}, "forgetful"), 2);
  checkRefusal(cacheTool({"forget", scratch("forgotten, not there.mtx")}, "forgetful"), 1);
}
