// Fibers by hand-written switch on x86-64, by ucontext elsewhere, annotated for AddressSanitizer.
#include "tests/simt/fiber.h"

#include "tests/simt/sanitizer.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sys/mman.h>
#if defined(__x86_64__) && !SPECMV_SIMT_UCONTEXT // defined: to try the other way on x86-64
#define SPECMV_SIMT_SWITCH 1
#else
#include <ucontext.h>
#endif

namespace specmv::simt {
namespace {

// Kernels keep their data in registers and shared memory; 64 KB leave room for what -O1 with
// sanitizers spills (measured: under 8 KB).
constexpr size_t kStackBytes = 64 << 10;
constexpr size_t kGuardBytes = 4096;

std::array<char *, kMaxFibers> &stacks() {
  static std::array<char *, kMaxFibers> pool{};
  return pool;
}

char *stackOf(int i) {
  char *&stack = stacks()[static_cast<size_t>(i)];
  if (stack)
    return stack;
  void *pages = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages, kGuardBytes, PROT_NONE) != 0) {
    std::perror("simt: no memory for a stack");
    std::exit(2);
  }
  return stack = static_cast<char *>(pages) + kGuardBytes;
}

} // namespace

Fiber &hostFiber() {
  static Fiber host;
  return host;
}

#if SPECMV_SIMT_SWITCH

extern "C" void specmvSimtSwitch(void **from, void *to);
asm(R"(
.text
.globl specmvSimtSwitch
.type specmvSimtSwitch, @function
specmvSimtSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size specmvSimtSwitch, .-specmvSimtSwitch
)");

static void jump(Fiber &from, Fiber &to) { specmvSimtSwitch(&from.context, to.context); }

static void makeContext(Fiber &fiber, int, void (*entry)()) {
  auto *top = reinterpret_cast<uintptr_t *>(static_cast<char *>(fiber.stack) + fiber.stackBytes);
  *--top = 0;                                  // a return address that nobody uses; aligns entry
  *--top = reinterpret_cast<uintptr_t>(entry); // taken by ret
  for (int saved = 0; saved < 6; ++saved)
    *--top = 0;
  fiber.context = top;
}

#else

static ucontext_t &contextOf(int i) {
  static auto contexts = std::make_unique<ucontext_t[]>(kMaxFibers + 1);
  return contexts[static_cast<size_t>(i)];
}

static void jump(Fiber &from, Fiber &to) {
  if (!from.context)
    from.context = &contextOf(kMaxFibers);
  swapcontext(static_cast<ucontext_t *>(from.context), static_cast<ucontext_t *>(to.context));
}

static void makeContext(Fiber &fiber, int i, void (*entry)()) {
  ucontext_t &context = contextOf(i);
  getcontext(&context);
  context.uc_stack.ss_sp = fiber.stack;
  context.uc_stack.ss_size = fiber.stackBytes;
  makecontext(&context, entry, 0);
  fiber.context = &context;
}

#endif

void prepare(Fiber &fiber, int i, void (*entry)()) {
  fiber = {nullptr, stackOf(i), kStackBytes, nullptr};
  makeContext(fiber, i, entry);
}

void switchFiber(Fiber &from, Fiber &to, bool last) {
  startSwitch(last ? nullptr : &from.fakeStack, to.stack, to.stackBytes);
  jump(from, to);
  finishSwitch(from.fakeStack);
}

void entered(Fiber &self) {
  // The very first fiber is entered from the host, whose stack only AddressSanitizer knows.
  Fiber &host = hostFiber();
  const void *bottom = nullptr;
  size_t size = 0;
  finishSwitch(self.fakeStack, &bottom, &size);
  if (!host.stack) {
    host.stack = const_cast<void *>(bottom);
    host.stackBytes = size;
  }
}

void abandonStacks(int count) {
  for (int i = 0; i < count; ++i)
    unpoison(stackOf(i), kStackBytes);
}

} // namespace specmv::simt
