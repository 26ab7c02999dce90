// Runs kernels of lstmTrunk.cu on the CPU: reads calls from standard input, and writes their results to standard output (emulatedTrunk.ts).
#include "emulateCuda.h"
#include "../../../src/engine/runtime/cuda/lstmTrunk.cu"
#include <dlfcn.h>
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

int main() {
  for (Call call; readWhole(&call, sizeof call);) {
    using Kernel = void (*)(const float *, const float *, const float *, const float *, const float *, const float *, float *, float *, int, int,
                            int, int, int);
    const auto kernel = reinterpret_cast<Kernel>(dlsym(RTLD_DEFAULT, call.kernel));
    if (kernel == nullptr) {
      fprintf(stderr, "no kernel %s\n", call.kernel);
      return 1;
    }
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
