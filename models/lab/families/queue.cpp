// The Markov chain of a network of s queues in a row with finite room. Station i has room for
// room + i customers. A customer arrives at a station that is not full, moves on from a station to
// the next one if that is not full, or leaves the last station. So a state changes to at most 2 s
// others, each at the same distance in the numbering from everywhere; where a station is empty or
// full the diagonals have holes. The states are numbered along the first station first.
#include "models/lab/families/build.h"

#include "models/base/error.h"

#include <array>

namespace specmv {
namespace {
constexpr size_t kMostStations = 8;

struct Queues {
  size_t stations;
  std::array<int64_t, kMostStations> room{}, stride{};
  int64_t states = 1;

  Queues(int64_t count, int64_t least) : stations(static_cast<size_t>(count)) {
    for (size_t i = 0; i < stations && states <= kMaxIndex; ++i) {
      room[i] = least + static_cast<int64_t>(i);
      stride[i] = states;
      states *= room[i] + 1;
    }
  }

  int64_t customers(int64_t state, size_t station) const {
    return state / stride[station] % (room[station] + 1);
  }

  // Calls f with the state itself and with each next state, in no order.
  template <class F> void forNext(int64_t state, const F &f) const {
    f(state);
    for (size_t i = 0; i < stations; ++i) {
      const int64_t here = customers(state, i);
      const bool isEnd = i + 1 == stations;
      if (here < room[i])
        f(state + stride[i]);
      if (here > 0 && (isEnd || customers(state, i + 1) < room[i + 1]))
        f(state - stride[i] + (isEnd ? 0 : stride[i + 1]));
    }
  }
};
} // namespace

llvm::Expected<CsrMatrix> generateQueue(const SpecOptions &options) {
  const int64_t stations = options.integer("s"), room = options.integer("room");
  const Queues queues(stations, room);
  const int64_t rows = queues.states;
  if (rows > kMaxIndex)
    return fail(Status::badCall, "queue: s={0} stations with room={1} have more than {2} states",
                stations, room, kMaxIndex);
  const auto lengthOf = [&](int64_t row) {
    int64_t length = 0;
    queues.forNext(row, [&](int64_t) { ++length; });
    return length;
  };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    auto next = col.begin();
    queues.forNext(row, [&](int64_t state) { *next++ = static_cast<int32_t>(state); });
    std::sort(col.begin(), col.end());
  };
  return buildMatrix(rows, rows, valuesOf(options), lengthOf, fillColumns);
}

} // namespace specmv
