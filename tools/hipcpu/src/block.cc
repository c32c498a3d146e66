#include "block.h"

#include <cstdio>
#include <memory>
#include <vector>

#include "hip/hip_runtime.h"

namespace hipcpu {

thread_local self *current = nullptr;

[[noreturn]] static void die(const char *reason) {
  fprintf(stderr, "hipcpu: block %u: %s\n", current ? current->block.x : 0, reason);
  abort();
}

static const char *const divergence = "barrier divergence: the threads of a block wait at different barriers";

} // namespace hipcpu

#ifdef HIPCPU_THREADS

#include <condition_variable>
#include <mutex>
#include <thread>

namespace hipcpu {

// meeting is a barrier of all threads of a block.
struct meeting {
  std::mutex mutex;
  std::condition_variable all;
  unsigned size, here = 0, round = 0;
  int line = 0;

  void wait(int at) {
    std::unique_lock<std::mutex> lock(mutex);
    if (here == 0) line = at;
    if (line != at) die(divergence);
    if (++here == size) {
      here = 0;
      round++;
      all.notify_all();
      return;
    }
    unsigned mine = round;
    all.wait(lock, [&] { return round != mine; });
  }
};

static meeting *block = nullptr; // one grid runs at a time

void barrier(int line) { block->wait(line); }

void run(unsigned blocks, unsigned threads, const std::function<void()> &body) {
  static std::mutex one;
  std::lock_guard<std::mutex> lock(one);
  meeting m;
  m.size = threads;
  block = &m;
  std::vector<std::thread> all;
  for (unsigned t = 0; t < threads; t++)
    all.emplace_back([&, t] {
      self me{{t}, {0}};
      current = &me;
      for (me.block.x = 0; me.block.x < blocks; me.block.x++) {
        body();
        m.wait(-1); // a thread that returns early meets the others' next barrier here: divergence
      }
    });
  for (auto &t : all) t.join();
}

} // namespace hipcpu

#else

#if defined(__SANITIZE_ADDRESS__)
#define HIPCPU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HIPCPU_ASAN 1
#endif
#endif
#ifdef HIPCPU_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

#ifdef __x86_64__
// hipcpu_switch saves the callee's registers on this stack, its top in *from, and goes on where `to` was saved.
extern "C" void hipcpu_switch(void **from, void *to);
asm(R"(
.text
.globl hipcpu_switch
.type hipcpu_switch, @function
hipcpu_switch:
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
.size hipcpu_switch, . - hipcpu_switch
)");
#else
#include <ucontext.h>
#endif

namespace hipcpu {

enum { stackBytes = 64 << 10, done = 0, running = -2 };

// fiber is one thread of the block; it lives from block to block.
struct fiber {
  self me;
  int at = done; // done, or the line of the barrier where it waits
  std::unique_ptr<char[]> stack;
#ifdef __x86_64__
  void *top = nullptr;
#else
  ucontext_t context;
#endif
};

// crew is the fibers of one thread of the process, and its own context.
struct crew {
  std::vector<std::unique_ptr<fiber>> fibers;
  const std::function<void()> *body = nullptr;
  fiber *now = nullptr;
#ifdef __x86_64__
  void *top = nullptr;
#else
  ucontext_t context;
#endif
#ifdef HIPCPU_ASAN
  const void *bottom = nullptr;
  size_t size = 0;
#endif
};

static thread_local crew *team = nullptr;

// leave goes from the running fiber back to the crew.
static void leave() {
  crew *c = team;
  fiber *f = c->now;
#ifdef HIPCPU_ASAN
  void *fake;
  __sanitizer_start_switch_fiber(&fake, c->bottom, c->size);
#endif
#ifdef __x86_64__
  hipcpu_switch(&f->top, c->top);
#else
  swapcontext(&f->context, &c->context);
#endif
#ifdef HIPCPU_ASAN
  __sanitizer_finish_switch_fiber(fake, &c->bottom, &c->size);
#endif
}

static void life() {
#ifdef HIPCPU_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &team->bottom, &team->size);
#endif
  for (;;) {
    (*team->body)();
    team->now->at = done;
    leave();
  }
}

// enter runs a fiber until it waits or has done its block.
static void enter(crew *c, fiber *f) {
  c->now = f;
  current = &f->me;
  f->at = running;
#ifdef HIPCPU_ASAN
  void *fake;
  __sanitizer_start_switch_fiber(&fake, f->stack.get(), stackBytes);
#endif
#ifdef __x86_64__
  hipcpu_switch(&c->top, f->top);
#else
  swapcontext(&c->context, &f->context);
#endif
#ifdef HIPCPU_ASAN
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

static std::unique_ptr<fiber> born() {
  auto f = std::make_unique<fiber>();
  f->stack.reset(new char[stackBytes]);
#ifdef __x86_64__
  // As hipcpu_switch leaves a stack: six registers, then where to return to, placed so that life finds the alignment that a
  // call would have given it.
  auto top = (uintptr_t)(f->stack.get() + stackBytes) & ~(uintptr_t)15;
  auto slot = (void **)(top - 16);
  slot[0] = (void *)life;
  f->top = slot - 6;
  memset(f->top, 0, 6 * sizeof(void *));
#else
  getcontext(&f->context);
  f->context.uc_stack.ss_sp = f->stack.get();
  f->context.uc_stack.ss_size = stackBytes;
  makecontext(&f->context, life, 0);
#endif
  return f;
}

void barrier(int line) {
  team->now->at = line;
  leave();
}

static void runBlock(crew *c, unsigned threads) {
  for (;;) {
    for (unsigned t = 0; t < threads; t++) enter(c, c->fibers[t].get());
    int line = c->fibers[0]->at;
    for (unsigned t = 1; t < threads; t++)
      if (c->fibers[t]->at != line) die(divergence);
    if (line == done) return;
  }
}

void run(unsigned blocks, unsigned threads, const std::function<void()> &body) {
  static thread_local crew mine;
  team = &mine;
  mine.body = &body;
  while (mine.fibers.size() < threads) mine.fibers.push_back(born());
  for (unsigned b = 0; b < blocks; b++) {
    for (unsigned t = 0; t < threads; t++) mine.fibers[t]->me = self{{t}, {b}};
    runBlock(&mine, threads);
  }
}

} // namespace hipcpu

#endif
