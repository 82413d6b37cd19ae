// Earlier choices: their keys, those in memory, and those that are stored in the cache as wisdom.
#pragma once

#include "models/base/fork.h"
#include "runtime/choose/turns.h"
#include "runtime/plan/realize.h"
#include "runtime/plan/session.h"
#include "runtime/plan/sources.h"
#include "runtime/store/wisdom.h"

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace specmv {

// --- Choice keys ---------------------------------------------------------------------------------

// The keys under which the wisdom has choices.

// The key of the choice for a pattern, or, with facts, for values of the pattern with such facts.
CacheKey choiceKey(const Request &request, const std::string &pattern, const Machine &machine,
                   const ValueFacts *facts = nullptr);

// The keys under which a choice is stored. The first has the last choice, whatever the values were:
// it tells whether there is a choice at all, so that values of a new pattern are not looked at
// before its profile is known.
std::vector<CacheKey> keysToStore(const Session &session, const std::string &pattern);

// --- Known choices -------------------------------------------------------------------------------

// Keeps choices in memory, because looking on disk can take longer than a small set-up. Only for
// recall.cpp.

// A choice that is followed until the kernel of the better plan, if there is one, becomes
// available.
struct KnownChoice {
  Wisdom wisdom;
  std::optional<BetterPlan> better = {};
};

// Thread-safe.
class ChoicesInMemory {
public:
  std::optional<KnownChoice> find(const std::string &key) {
    const std::lock_guard lock(mutex_);
    const auto found = choices_.find(key);
    return found == choices_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const std::string &key, KnownChoice choice) {
    const std::lock_guard lock(mutex_);
    if (choices_.size() >= kMost)
      choices_.clear(); // they can be read from disk or made again
    choices_.insert_or_assign(key, std::move(choice));
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    choices_.clear();
  }

private:
  static constexpr unsigned kMost = 4096;
  ForkMutex mutex_;
  std::unordered_map<std::string, KnownChoice> choices_;
};

// Returns those of the process.
ChoicesInMemory &inMemory();

// Includes the cache's places: two caches of one process may know different choices.
inline std::string inMemoryKey(const CacheKey &key, const Cache &cache) {
  return key.id + cache.places();
}

// --- Recall --------------------------------------------------------------------------------------

// Uses earlier choices, which are stored in the cache as wisdom, and stores new ones.

// Returns the plan of a wisdom entry if this request, which prescribes no format, may follow it. An
// estimate follows any choice. A trial, or a request that would learn, follows a choice made by a
// trial, by learning or by measurement, and a measuring request one made by measurement. Otherwise
// nullopt, and also if the format must be named to be used, or if no kernel can be emitted for the
// plan and the problem. This is checked because a pack or a read-only cache folder may come from
// someone else.
std::optional<Plan> planToFollow(const Wisdom &known, const Problem &problem, Rigor rigor);

// Returns true if an earlier choice may be used: the request prescribes no formats or numbers, and
// does not ask to measure all plans again.
bool mayRecall(const Request &request);
// Proposes the plan that the wisdom has for this pattern, GPU, problem and coding of values; the
// host has entries of its own. Where a coding may pay, there is an entry for each set of codings
// that values of the pattern have fitted, and the values are looked at. The plan may not fit this
// matrix: two matrices can have the same id, and the facts about values do not tell whether blocks
// repeat. A request that weighs set-ups has separate wisdom for each power of ten of the number of
// products. Without a profile, an earlier choice is followed if it was made for the same number of
// products and its kernels are loaded. Also, the other plans, even with their kernels loaded, must
// not be able to save more time than ranking them takes.
llvm::Expected<Proposals> proposeEarlierChoice(Session &session);
// Also follows an earlier choice if it still has the least total of the ranked plans. This second
// lookup is needed if set-ups are weighed, since the decision may depend on the other plans. It is
// also needed if rows do not ascend, since the pattern was not identified then.
llvm::Expected<Proposals> proposeEarlierChoiceAfterRanking(Session &session);

// Forgets the choices that are kept in memory so that the next set-up of a pattern need not read
// the wisdom. Choices that other processes store later are not seen until then.
void forgetChoices();

// Returns true if a choice still has the least total of the ranked plans. The time that its set-up
// took corrects the model's set-up times without kernels for all plans alike, and its measured
// product replaces the predicted one. The product of a choice by trial counts as kNear shorter,
// because the trial distrusted predictions that close.
bool isStillLeast(const Wisdom &known, int64_t products, const Ranked &ranked);

// Stores the choice in the wisdom, unless the request prescribes formats or numbers, or the choice
// is a fallback or was not made from ranked plans. A choice that was made because its kernel was
// available is kept only in this process, until the kernel of the better plan is available too. The
// time of the set-up is stored, too, if it ran on a GPU and loaded no kernels.
void rememberChoice(Session &session, const BuiltChoice &chosen);

// Stores which plan, by its position, was the fastest in the program's products, and its time.
using LearnedKeeper = std::function<void(size_t plan, double us)>;
// Returns what stores it in the wisdom, as rememberChoice() does: 0 is the choice, and the rivals
// follow. It can be called when the session is over. Empty if nothing is to be stored: the request
// prescribes formats or numbers, or not all plans that are worth it were compared.
LearnedKeeper keeperOfLearned(Session &session, const BuiltChoice &made, const Rivals &rivals);

} // namespace specmv
