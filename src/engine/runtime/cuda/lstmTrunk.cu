// The network up to its trunk in one launch: LSTM, attention over its states, the dense layer after it. `npm run build:cuda` compiles this file
// to lstmTrunk.ptx, which the NVIDIA driver compiles for its card; CudaTrunk.ts launches it.
//
// Entry points: trunk_h{H}_x{X} for H units (a multiple of 16) and up to X columns. A block computes one row with 4 H threads: four lanes a unit
// share its sums, and hold its weights in registers over all steps. Four rows a block gained nothing (docs/benchmarks/cuda.md).
//
// packLstm.ts writes `packed`: float4s of the gates i, f, c, o, scaled by -log2(e), or -2 log2(e) for c, so that each gate follows from
// 1 / (1 + 2^z). First H / 4 rows for the states, then X / 4 for the columns, then one for the bias; each [threads].

#ifdef __CUDA_ARCH__
__device__ __forceinline__ float exp2Approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#else
__device__ inline float exp2Approx(float x) { return exp2f(x); }
__device__ inline float reciprocal(float x) { return 1.0f / x; }
#endif

constexpr int LANES = 4;
constexpr unsigned ALL = 0xffffffffu;
constexpr float LOG2E = 1.4426950408889634f;
constexpr float CELL = -2.0f * LOG2E;
// Below every score.
constexpr float LOWEST = -3.402823466e38f;
// Loads that a thread starts before it waits for the first of them: a row may come over the bus, which answers late.
constexpr int INPUTS_TOGETHER = 16, STEPS_TOGETHER = 8, WEIGHTS_TOGETHER = 32;

// 1 / (1 + 2^z): with z = -x log2(e) the sigmoid of x, with twice that (tanh(x) + 1) / 2.
__device__ __forceinline__ float sigmoidOf(float z) { return reciprocal(1.0f + exp2Approx(z)); }

__device__ __forceinline__ void addGates(float4 &sum, float value, const float4 &weight) {
  sum.x = fmaf(value, weight.x, sum.x);
  sum.y = fmaf(value, weight.y, sum.y);
  sum.z = fmaf(value, weight.z, sum.z);
  sum.w = fmaf(value, weight.w, sum.w);
}

// The space of attention and trunk: [4 H / 16 groups][H + 2], then [2 H + contextColumns]. CudaTrunk.ts counts it too.
template <int H, int X>
__device__ __forceinline__ void trunk(const float *x, const float *__restrict__ context, const float *__restrict__ packed,
                                      const float *__restrict__ attention, const float *__restrict__ trunkKernel,
                                      const float *__restrict__ trunkBias, float *states, float *out, int steps, int columns,
                                      int contextColumns, int outputs, int chunkSteps) {
  constexpr int THREADS = LANES * H, HELD = H / LANES, COLUMNS = X / LANES;
  // More weights have no place in the registers of one multiprocessor; they are read again at each step.
  constexpr bool HOLD = H <= (X > 12 ? 64 : 96);
  constexpr int UNROLL = HOLD ? HELD / 4 : 1;
  extern __shared__ float4 sharedMemory[];
  float *hidden = reinterpret_cast<float *>(sharedMemory);  // [2][H], before and after a step
  float *inputs = hidden + 2 * H;                           // [chunkSteps][columns], later the space of attention and trunk
  const int thread = threadIdx.x, unit = thread / LANES, lane = thread % LANES, row = blockIdx.x;
  const float4 *weights = reinterpret_cast<const float4 *>(packed) + thread;
  x += static_cast<size_t>(row) * steps * columns;
  states += static_cast<size_t>(row) * steps * H;

  float4 heldStates[HOLD ? HELD : 1], heldColumns[HOLD ? COLUMNS : 1];
  if (HOLD) {
#pragma unroll
    for (int k = 0; k < HELD; k++) heldStates[k] = weights[k * THREADS];
#pragma unroll
    for (int k = 0; k < COLUMNS; k++) heldColumns[k] = weights[(HELD + k) * THREADS];
  }
  const float4 bias = weights[(HELD + COLUMNS) * THREADS];

  for (int i = thread; i < 2 * H; i += THREADS) hidden[i] = 0.0f;
  const bool high = lane & 2, odd = lane & 1;
  // Each lane has one gate; c is a tanh, and scaled as the cell is.
  const float factor = lane == 2 ? 2.0f * CELL : 1.0f, offset = lane == 2 ? -CELL : 0.0f;
  float cell = 0.0f;  // times CELL, so that its tanh needs no product
  const float4 *before = reinterpret_cast<const float4 *>(hidden) + lane;
  float *after = hidden + H + unit;
  float *state = states + unit;
  int swap = H;  // from this half of `hidden` to the other one
  for (int start = 0; start < steps; start += chunkSteps) {
    const int count = min(chunkSteps, steps - start);
    const float *source = x + static_cast<size_t>(start) * columns;
    __syncthreads();
    for (int first = thread; first < count * columns; first += INPUTS_TOGETHER * THREADS) {
      float loaded[INPUTS_TOGETHER];
#pragma unroll
      for (int i = 0; i < INPUTS_TOGETHER; i++) loaded[i] = first + i * THREADS < count * columns ? source[first + i * THREADS] : 0.0f;
#pragma unroll
      for (int i = 0; i < INPUTS_TOGETHER; i++)
        if (first + i * THREADS < count * columns) inputs[first + i * THREADS] = loaded[i];
    }
    __syncthreads();
    const float *input = inputs + lane;
    // What the columns add is known a step ahead, and computed while a step waits for its states.
    float4 next;
    auto addColumns = [&]() {
      next = bias;
#pragma unroll
      for (int k = 0; k < COLUMNS; k++) {
        const float value = k * LANES + lane < columns ? input[k * LANES] : 0.0f;
        addGates(next, value, HOLD ? heldColumns[k] : weights[(HELD + k) * THREADS]);
      }
    };
    addColumns();
    for (int t = 0; t < count; t++) {
      float4 sums = next;
#pragma unroll UNROLL
      for (int k = 0; k < HELD; k += 4) {
        const float4 h = before[k / 4 * LANES];
        addGates(sums, h.x, HOLD ? heldStates[k] : weights[k * THREADS]);
        addGates(sums, h.y, HOLD ? heldStates[k + 1] : weights[(k + 1) * THREADS]);
        addGates(sums, h.z, HOLD ? heldStates[k + 2] : weights[(k + 2) * THREADS]);
        addGates(sums, h.w, HOLD ? heldStates[k + 3] : weights[(k + 3) * THREADS]);
      }
      input += t + 1 < count ? columns : 0;
      addColumns();
      // Each lane sums one gate up, and gets the values of the others.
      const float one = (high ? sums.z : sums.x) + __shfl_xor_sync(ALL, high ? sums.x : sums.z, 2);
      const float two = (high ? sums.w : sums.y) + __shfl_xor_sync(ALL, high ? sums.y : sums.w, 2);
      const float z = (odd ? two : one) + __shfl_xor_sync(ALL, odd ? one : two, 1);
      const float gate = fmaf(factor, sigmoidOf(z), offset);
      const int firstLane = (thread & 31) & ~3;
      const float i = __shfl_sync(ALL, gate, firstLane), c = __shfl_sync(ALL, gate, firstLane + 2);
      const float f = __shfl_sync(ALL, gate, firstLane + 1), o = __shfl_sync(ALL, gate, firstLane + 3);
      cell = fmaf(f, cell, i * c);
      const float h = fmaf(o + o, sigmoidOf(cell), -o);
      if (lane == 0) *after = h;
      __syncthreads();
      if (lane == 0) *state = h;
      state += H;
      after -= swap;
      before += swap / 4;
      swap = -swap;
    }
  }
  __syncthreads();
  const float *last = reinterpret_cast<const float *>(before - lane);

  // Attention. 16 lanes take a step together; each group keeps the largest score so far, and sums relative to it.
  constexpr int GROUP = 16, EACH = H / GROUP, GROUPS = THREADS / GROUP;
  const int group = thread / GROUP, part = thread % GROUP;
  float *merged = inputs;                   // [GROUPS][H + 2]: sums, largest score, sum of weights
  float *joined = merged + GROUPS * (H + 2);  // [2 H + contextColumns]
  {
    float kernel[EACH], sums[EACH], largest = LOWEST, whole = 0.0f;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      kernel[e] = attention[e * GROUP + part] * LOG2E;
      sums[e] = 0.0f;
    }
    // The same number of rounds for all groups, because the lanes of a warp exchange values.
    for (int round = 0; round < steps; round += GROUPS * STEPS_TOGETHER) {
      float values[STEPS_TOGETHER][EACH], scores[STEPS_TOGETHER];
      const float *own = states + static_cast<size_t>(round + group) * H + part;
#pragma unroll
      for (int i = 0; i < STEPS_TOGETHER; i++) {
        scores[i] = 0.0f;
#pragma unroll
        for (int e = 0; e < EACH; e++) {
          values[i][e] = round + group + i * GROUPS < steps ? own[i * GROUPS * H + e * GROUP] : 0.0f;
          scores[i] = fmaf(values[i][e], kernel[e], scores[i]);
        }
      }
#pragma unroll
      for (int lanes = GROUP / 2; lanes > 0; lanes /= 2) {
#pragma unroll
        for (int i = 0; i < STEPS_TOGETHER; i++) scores[i] += __shfl_xor_sync(ALL, scores[i], lanes);
      }
      float top = largest;
#pragma unroll
      for (int i = 0; i < STEPS_TOGETHER; i++) {
        if (round + group + i * GROUPS >= steps) scores[i] = LOWEST;
        // This form of the comparison does not ignore a NaN score.
        if (!(scores[i] <= top)) top = scores[i];
      }
      const float scale = exp2Approx(largest - top);
      whole *= scale;
#pragma unroll
      for (int e = 0; e < EACH; e++) sums[e] *= scale;
#pragma unroll
      for (int i = 0; i < STEPS_TOGETHER; i++) {
        const float weight = scores[i] == LOWEST ? 0.0f : exp2Approx(scores[i] - top);
        whole += weight;
#pragma unroll
        for (int e = 0; e < EACH; e++) sums[e] = fmaf(weight, values[i][e], sums[e]);
      }
      largest = top;
    }
    float *place = merged + group * (H + 2);
    if (part == 0) {
      place[H] = largest;
      place[H + 1] = whole;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) place[e * GROUP + part] = sums[e];
  }
  for (int i = thread; i < contextColumns; i += THREADS) joined[2 * H + i] = context[static_cast<size_t>(row) * contextColumns + i];
  __syncthreads();
  if (thread < H) {
    float top = LOWEST, sum = 0.0f, whole = 0.0f;
    for (int g = 0; g < GROUPS; g++)
      if (!(merged[g * (H + 2) + H] <= top)) top = merged[g * (H + 2) + H];
    for (int g = 0; g < GROUPS; g++) {
      const float *place = merged + g * (H + 2);
      const float scale = exp2Approx(place[H] - top);
      sum = fmaf(scale, place[thread], sum);
      whole = fmaf(scale, place[H + 1], whole);
    }
    joined[thread] = last[thread];
    joined[H + thread] = sum / whole;
  }
  __syncthreads();
  const int depth = 2 * H + contextColumns;
  for (int output = thread; output < outputs; output += THREADS) {
    float sum = trunkBias[output];
    for (int first = 0; first < depth; first += WEIGHTS_TOGETHER) {
      const float *kernel = trunkKernel + first * outputs + output;
      float loaded[WEIGHTS_TOGETHER];
#pragma unroll
      for (int d = 0; d < WEIGHTS_TOGETHER; d++) loaded[d] = first + d < depth ? kernel[d * outputs] : 0.0f;
#pragma unroll
      for (int d = 0; d < WEIGHTS_TOGETHER; d++)
        if (first + d < depth) sum = fmaf(joined[first + d], loaded[d], sum);
    }
    // NaN stays NaN.
    out[static_cast<size_t>(row) * outputs + output] = sum <= 0.0f ? 0.0f : sum;
  }
}

#define ENTRY(H, X)                                                                                                                        \
  extern "C" __global__ void __launch_bounds__(LANES *H, H <= 64 && X <= 12 ? 2 : 1)                                                       \
      trunk_h##H##_x##X(const float *x, const float *context, const float *packed, const float *attention, const float *trunkKernel,       \
                        const float *trunkBias, float *states, float *out, int steps, int columns, int contextColumns, int outputs,        \
                        int chunkSteps) {                                                                                                  \
    trunk<H, X>(x, context, packed, attention, trunkKernel, trunkBias, states, out, steps, columns, contextColumns, outputs, chunkSteps);  \
  }

ENTRY(16, 12)
ENTRY(16, 32)
ENTRY(32, 12)
ENTRY(32, 32)
ENTRY(48, 12)
ENTRY(48, 32)
ENTRY(64, 12)
ENTRY(64, 32)
ENTRY(80, 12)
ENTRY(80, 32)
ENTRY(96, 12)
ENTRY(96, 32)
ENTRY(112, 12)
ENTRY(112, 32)
ENTRY(128, 12)
ENTRY(128, 32)
