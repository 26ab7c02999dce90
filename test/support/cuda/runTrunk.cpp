// Runs kernels of lstmTrunk.cu on the CPU: reads calls from standard input, and writes their results to standard output (emulatedTrunk.ts).
#include "emulateCuda.h"
#include "../../../src/engine/runtime/cuda/lstmTrunk.cu"
#include <dlfcn.h>

struct Call {
  char kernel[32];
  int32_t rows, steps, columns, contextColumns, outputs, units, packed, chunkSteps, sharedBytes, seed;
};

static bool readWhole(void *to, size_t bytes) { return fread(to, 1, bytes, stdin) == bytes; }

static std::vector<float> readFloats(size_t count) {
  std::vector<float> values(count);
  if (!readWhole(values.data(), count * sizeof(float))) {
    fputs("the input ends in the middle of a call\n", stderr);
    exit(1);
  }
  return values;
}

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
    const auto x = readFloats(rows * steps * call.columns), context = readFloats(rows * call.contextColumns), packed = readFloats(call.packed);
    const auto attention = readFloats(units), trunkKernel = readFloats((2 * units + call.contextColumns) * call.outputs);
    const auto trunkBias = readFloats(call.outputs);
    std::vector<float> states(rows * steps * units, NAN), out(rows * call.outputs, NAN);
    emulated::launch(rows, 4 * units, call.sharedBytes, call.seed, [&] {
      kernel(x.data(), context.data(), packed.data(), attention.data(), trunkKernel.data(), trunkBias.data(), states.data(), out.data(),
             call.steps, call.columns, call.contextColumns, call.outputs, call.chunkSteps);
    });
    fwrite(out.data(), sizeof(float), out.size(), stdout);
  }
}
