// Fibers: one per lane of a block, on pooled stacks, with a switch of about 25 ns on x86-64.
#pragma once

#include <cstddef>

namespace specmv::simt {

struct Fiber {
  void *context = nullptr; // the saved stack pointer, or a ucontext_t
  void *stack = nullptr;   // lowest address
  size_t stackBytes = 0;
  void *fakeStack = nullptr; // the state that AddressSanitizer wants back
};

constexpr int kMaxFibers = 1024; // the threads of the largest block

// The fiber of the program itself, from which the others are started.
Fiber &hostFiber();

// Prepares fiber i of the pool such that the first switch to it calls entry, which must not return.
void prepare(Fiber &fiber, int i, void (*entry)());

// Leaves `from` and continues `to`. If `last` is true, `from` is never continued.
void switchFiber(Fiber &from, Fiber &to, bool last = false);

// Every entry must call this first.
void entered(Fiber &self);

// Makes the stacks of fibers 0 .. count-1 usable again after they were abandoned midway.
void abandonStacks(int count);

} // namespace specmv::simt
