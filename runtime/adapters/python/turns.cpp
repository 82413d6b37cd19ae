// Counts the forks between this process and the one that imported the module.
#include "runtime/adapters/python/turns.h"

#include <pthread.h>

namespace specmv_python {

static std::atomic<unsigned> count = 0;

unsigned forks() { return count; }

// If there is no memory to register the handler, a forked child runs as if there had been no fork.
void countForks() {
  (void)pthread_atfork(nullptr, nullptr, [] { ++count; });
}

} // namespace specmv_python
