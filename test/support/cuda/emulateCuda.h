// CUDA C++ on the CPU, for tests without a card: each CUDA thread is a fiber, which runs until it meets others in a barrier or a shuffle. A block whose
// threads do not all meet in the same line ends the program. Between two barriers the warps run one after the other, in an order that depends on a seed,
// so a missing barrier gives wrong numbers. Shared memory, states and results begin as NaN.
#pragma once
#include <math.h>
#include <setjmp.h>
#include <ucontext.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#define __device__
#define __forceinline__ inline
#define __global__
#define __shared__
#define __launch_bounds__(...)
#define __restrict__

struct Index {
  unsigned x = 0, y = 0, z = 0;
};
inline Index threadIdx, blockIdx, blockDim;
struct alignas(16) float4 {
  float x, y, z, w;
};
inline int min(int a, int b) { return a < b ? a : b; }

namespace emulated {
constexpr unsigned WARP = 32, MOST_THREADS = 1024, MOST_SHARED_BYTES = 48 * 1024, GUARD_BYTES = 4096;
constexpr size_t STACK_BYTES = 256 * 1024;
constexpr unsigned char UNWRITTEN = 0xff;  // four of them are a NaN

enum class At { RUNNING, WARP, BLOCK, END };
struct Fiber {
  /** Where it begins; from then on `place` is where it goes on. */
  ucontext_t context;
  bool hasBegun;
  jmp_buf place;
  std::unique_ptr<char[]> stack{new char[STACK_BYTES]};
  At at;
  int line;
  // Of a shuffle.
  float value;
  unsigned from;
};

inline std::vector<Fiber> fibers;
inline jmp_buf scheduler;
inline std::function<void()> kernel;

[[noreturn]] inline void fail(const char *what, unsigned thread) {
  const char *places[] = {"is running", "is in a shuffle or __syncwarp", "is in __syncthreads", "has ended"};
  fprintf(stderr, "block %u: %s: thread %u %s, line %d\n", blockIdx.x, what, thread, places[int(fibers[thread].at)], fibers[thread].line);
  exit(1);
}

/** Ends the turn of this thread until all others of its warp or block have come. */
inline Fiber &meet(At at, int line) {
  Fiber &own = fibers[threadIdx.x];
  own.at = at;
  own.line = line;
  // Unlike swapcontext, without a call of the system.
  if (_setjmp(own.place) == 0) _longjmp(scheduler, 1);
  return own;
}

inline float shuffle(unsigned mask, float value, unsigned from, int line) {
  Fiber &own = fibers[threadIdx.x];
  own.value = value;
  own.from = threadIdx.x / WARP * WARP + from % WARP;
  if (mask != 0xffffffffu || own.from >= blockDim.x) fail("a shuffle of less than a warp", threadIdx.x);
  meet(At::WARP, line);
  // All threads of the warp have left their value, and none has come to its next shuffle.
  return own.value;
}

inline void runThread() {
  kernel();
  meet(At::END, 0);
}

inline void begin(unsigned thread) {
  Fiber &fiber = fibers[thread];
  fiber.at = At::RUNNING;
  fiber.hasBegun = false;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = STACK_BYTES;
  makecontext(&fiber.context, runThread, 0);
}

/** Gives a thread its turn. */
inline void go(unsigned thread) {
  Fiber &fiber = fibers[thread];
  threadIdx.x = thread;
  if (_setjmp(scheduler) != 0) return;
  if (fiber.hasBegun) _longjmp(fiber.place, 1);
  fiber.hasBegun = true;
  setcontext(&fiber.context);
}

inline void expectTogether(const std::vector<unsigned> &threads, const char *what) {
  for (unsigned thread : threads)
    if (fibers[thread].at != fibers[threads[0]].at || fibers[thread].line != fibers[threads[0]].line) fail(what, thread);
}

/** Runs the threads of one warp until they meet the rest of their block, or end. */
inline void runWarp(const std::vector<unsigned> &threads) {
  for (;;) {
    for (unsigned thread : threads) go(thread);
    expectTogether(threads, "the threads of a warp go separate ways");
    if (fibers[threads[0]].at != At::WARP) return;
    std::vector<float> values;
    for (unsigned thread : threads) values.push_back(fibers[fibers[thread].from].value);
    for (size_t i = 0; i < threads.size(); i++) {
      fibers[threads[i]].value = values[i];
      fibers[threads[i]].at = At::RUNNING;
    }
  }
}
}  // namespace emulated

inline float __shfl_sync(unsigned mask, float value, int lane, int width = 32, int line = __builtin_LINE()) {
  if (width != 32) emulated::fail("a shuffle of less than a warp", threadIdx.x);
  return emulated::shuffle(mask, value, unsigned(lane), line);
}
inline float __shfl_xor_sync(unsigned mask, float value, int lanes, int width = 32, int line = __builtin_LINE()) {
  return __shfl_sync(mask, value, int(threadIdx.x % emulated::WARP) ^ lanes, width, line);
}
inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) { emulated::shuffle(mask, 0.0f, threadIdx.x, line); }
inline void __syncthreads(int line = __builtin_LINE()) { emulated::meet(emulated::At::BLOCK, line); }

/** What kernels declare as `extern __shared__ float4 sharedMemory[]`. */
float4 sharedMemory[(emulated::MOST_SHARED_BYTES + emulated::GUARD_BYTES) / sizeof(float4)];

namespace emulated {
/** Runs all blocks, one after the other. */
inline void launch(unsigned blocks, unsigned threads, unsigned sharedBytes, unsigned seed, std::function<void()> call) {
  kernel = std::move(call);
  blockDim.x = threads;
  if (fibers.size() < MOST_THREADS) fibers = std::vector<Fiber>(MOST_THREADS);
  if (threads > MOST_THREADS || sharedBytes > MOST_SHARED_BYTES) {
    fprintf(stderr, "%u threads, %u bytes of shared memory: too many for a block\n", threads, sharedBytes);
    exit(1);
  }
  std::mt19937 random(seed);
  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
    memset(static_cast<void *>(sharedMemory), UNWRITTEN, sizeof sharedMemory);
    std::vector<std::vector<unsigned>> warps((threads + WARP - 1) / WARP);
    std::vector<unsigned> all(threads);
    std::iota(all.begin(), all.end(), 0u);
    for (unsigned thread : all) begin(thread);
    for (unsigned thread : all) warps[thread / WARP].push_back(thread);
    for (auto &warp : warps) std::shuffle(warp.begin(), warp.end(), random);
    for (;;) {
      std::shuffle(warps.begin(), warps.end(), random);
      for (const auto &warp : warps) runWarp(warp);
      expectTogether(all, "not all threads come to the same barrier");
      if (fibers[0].at == At::END) break;
      for (unsigned thread : all) fibers[thread].at = At::RUNNING;
    }
    const unsigned char *guard = reinterpret_cast<const unsigned char *>(sharedMemory) + sharedBytes;
    for (size_t i = 0; i < GUARD_BYTES; i++)
      if (guard[i] != UNWRITTEN) {
        fprintf(stderr, "block %u wrote beyond its %u bytes of shared memory\n", blockIdx.x, sharedBytes);
        exit(1);
      }
  }
}
}  // namespace emulated
