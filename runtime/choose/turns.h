// Compares a few plans in a program's own products: which they are, and whose turn it is.
#pragma once

#include "runtime/plan/realize.h"

#include <cstddef>
#include <vector>

namespace specmv {

// --- Rivals --------------------------------------------------------------------------------------

// Builds the few plans that are compared with the choice in the program's own products.

struct Rivals {
  std::vector<BuiltChoice> plans = {};
  bool mayCompare = false; // plans can be compared with the choice, if there are any
  bool areAll = true;      // false: some that are worth comparing were left out
};

// Builds the best plans of two other formats that are predicted to be nearly as fast as the choice.
// They are packed on the GPU. Where set-ups do not wait for the compiler (KernelKind::atHand), a
// plan whose kernels are not at hand is left out, and they are compiled for a later set-up. All
// together stay within the request's limit of bytes. There are none if the choice was not made by
// prediction, for products with several vectors or in fused steps, and for products so short that
// the GPU would wait for a host that times them. Call it before the session's ranking is taken.
llvm::Expected<Rivals> rivalsToLearn(Session &session, const BuiltChoice &made);

// --- Turns ---------------------------------------------------------------------------------------

// Decides whose turn it is when a few plans are compared in a program's own products, and which
// plan stays. It knows neither plans nor a GPU.

// The plan that runs the next product, and whether an event is to be recorded before it (`begins`)
// and after it (`ends`). Both are false for the first product of a turn, and while the comparison
// waits for times.
struct Turn {
  size_t plan;
  bool begins, ends;
};

// Plans take turns of several products. The first product of a turn finds the caches full of
// another plan's arrays, so it is not timed. The others are timed one by one or, if they are short,
// together: two events for each would take as long as a product of a few microseconds. A time of
// several products has what the program does between them, too. In the first round everyone has a
// short turn. Then plans that are clearly slower are out, and those that are nearly equal have
// longer turns, until one is the fastest beyond doubt, or until so many times are known that the
// rest does not matter. While times are on their way, the fastest so far has all products.
class Turns {
public:
  // The first plan is the one to be preferred while nothing is known.
  Turns(size_t plans, bool timesEach);

  Turn next();
  // Takes the time from a begin to the next end.
  void take(size_t plan, double us);
  // Says that there is no such time.
  void lose(size_t plan);

  bool isOver() const { return left_.size() < 2; }
  // Returns the fastest so far.
  size_t best() const { return best_; }
  size_t timed() const; // products
  // Returns the typical time of this plan's products; 0: unknown.
  double us(size_t plan) const { return plans_[plan].typical.us; }

private:
  struct Timed {
    size_t products;
    double us; // of each of them
  };
  // The typical time, and how far the typical time of as many others may be from it.
  struct Typical {
    double us = 0, error = 0;
  };
  struct Plan {
    std::vector<Timed> times = {};
    Typical typical = {}; // of these
    size_t awaited = 0;   // times that are not known yet
  };
  static Typical typicalOf(const std::vector<Timed> &times);
  bool isClearlySlower(size_t plan) const;
  bool isHopeless(size_t plan) const;
  bool isAwaiting() const;
  void nextPlan();
  void findBest();
  void endRound();

  size_t timedOfTurn() const; // products
  // The timed products of one time.
  size_t together() const;

  std::vector<Plan> plans_;
  bool timesEach_;
  std::vector<size_t> left_; // plans that still take turns, in their order
  size_t best_ = 0;
  size_t round_ = 0;
  size_t at_ = 0;   // position in left_ of the plan whose turn it is; its size: all had theirs
  size_t done_ = 0; // products of this turn
};

} // namespace specmv
