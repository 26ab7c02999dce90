// Runs kernels of lstm.cu on the CPU: reads calls from standard input, and writes their results to standard output (emulatedCuda.ts).
#include "emulateCuda.h"
#include "../../../src/engine/runtime/cuda/lstm.cu"
#include <dlfcn.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

struct Call {
  char kernel[32];
  int32_t rows, steps, columns, contextColumns, outputs, units, packed, chunkSteps, sharedBytes, seed;
};

static bool readWhole(void *to, size_t bytes) { return fread(to, 1, bytes, stdin) == bytes; }

/** Floats, NaN at first, that end where the process may not read or write. */
class Floats {
 public:
  explicit Floats(size_t count) : size(count) {
    const size_t page = sysconf(_SC_PAGESIZE), whole = (count * sizeof(float) + page - 1) / page * page;
    bytes = whole + page;
    begin = static_cast<char *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (begin == MAP_FAILED || mprotect(begin + whole, page, PROT_NONE) != 0) {
      perror("mmap");
      exit(1);
    }
    data = reinterpret_cast<float *>(begin + whole) - count;
    std::fill_n(data, count, NAN);
  }
  Floats(const Floats &) = delete;
  ~Floats() { munmap(begin, bytes); }
  const size_t size;
  float *data;

 private:
  char *begin;
  size_t bytes;
};

struct Input : Floats {
  explicit Input(size_t count) : Floats(count) {
    if (readWhole(data, count * sizeof(float))) return;
    fputs("the input ends in the middle of a call\n", stderr);
    exit(1);
  }
};

template <typename Kernel>
static Kernel *find(const std::string &name) {
  void *kernel = dlsym(RTLD_DEFAULT, name.c_str());
  if (kernel == nullptr) {
    fprintf(stderr, "no kernel %s\n", name.c_str());
    exit(1);
  }
  return reinterpret_cast<Kernel *>(kernel);
}

/** The forward pass of training, then its gradient, as CudaSummary.ts launches them. */
static void train(const Call &call) {
  const int units = call.units, threads = 4 * units, depth = call.columns + units + 1, tiles = (depth + 15) / 16;
  const size_t rows = call.rows, states = rows * call.steps * units;
  const Input x(rows * call.steps * call.columns), packed(call.packed), attention(units), recurrent(units * threads), dSummary(rows * 2 * units);
  const Floats kept(states), gates(4 * states), cells(states), dz(4 * states), sums(rows * (depth + 1) * threads);
  const Floats summary(rows * 2 * units), gradients((depth + 1) * threads);
  const auto forward = find<void(const float *, const float *, const float *, float *, float *, float *, float *, int, int, int)>(call.kernel);
  emulated::launch(rows, threads, call.sharedBytes, call.seed, [&] {
    forward(x.data, packed.data, attention.data, kept.data, gates.data, cells.data, summary.data, call.steps, call.columns, call.chunkSteps);
  });
  const auto backward = find<void(const float *, const float *, const float *, const float *, const float *, const float *, float *, float *, int,
                                  int)>("summaryBackward");
  emulated::launch(rows, threads, 4 * (2 * threads + 2 * call.steps + threads / 32), call.seed, [&] {
    backward(recurrent.data, attention.data, kept.data, gates.data, cells.data, dSummary.data, dz.data, sums.data, call.steps, depth);
  });
  emulated::launch(rows * tiles, threads, 4 * CHUNK * DEPTH, call.seed,
                   [&] { weightGradients(x.data, kept.data, dz.data, sums.data, call.steps, call.columns, units, tiles); });
  emulated::launch((gradients.size + 255) / 256, 256, 0, call.seed, [&] { sumRows(sums.data, gradients.data, call.rows, gradients.size); });
  fwrite(summary.data, sizeof(float), summary.size, stdout);
  fwrite(gradients.data, sizeof(float), gradients.size, stdout);
}

int main() {
  for (Call call; readWhole(&call, sizeof call);) {
    if (strcmp(call.kernel, "summaryForward") == 0) {
      train(call);
      continue;
    }
    const auto kernel = find<void(const float *, const float *, const float *, const float *, const float *, const float *, float *, float *, int,
                                  int, int, int, int)>(call.kernel);
    const size_t rows = call.rows, steps = call.steps, units = call.units;
    const Input x(rows * steps * call.columns), context(rows * call.contextColumns), packed(call.packed), attention(units);
    const Input trunkKernel((2 * units + call.contextColumns) * call.outputs), trunkBias(call.outputs);
    const Floats states(rows * steps * units), out(rows * call.outputs);
    emulated::launch(rows, 4 * units, call.sharedBytes, call.seed, [&] {
      kernel(x.data, context.data, packed.data, attention.data, trunkKernel.data, trunkBias.data, states.data, out.data, call.steps,
             call.columns, call.contextColumns, call.outputs, call.chunkSteps);
    });
    fwrite(out.data, sizeof(float), out.size, stdout);
  }
}
