// LSTM and attention over its states: for serving with the dense layer after them in one launch (CudaTrunk.ts), for training with what their
// gradient needs, and the gradient (CudaSummary.ts). `npm run build:cuda` compiles this file to lstm.ptx.gz, whose text the NVIDIA driver compiles
// for its card.
//
// Entry points, for the UNITS and MOST_COLUMNS of the shipped network: trunkForward, summaryForward and summaryBackward, and for all sizes
// weightGradients and sumRows. A block computes one row with 4 H threads: four lanes a unit share its sums, and hold its weights in registers over
// all steps. Four rows a block gained nothing (docs/benchmarks/cuda.md).
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

// Sizes of the layer (packLstm.ts has the same): units are a multiple of 16, columns of 4. A layer of more than 96 units does not fit the registers.
constexpr int UNITS = 16, MOST_COLUMNS = 12;
constexpr int LANES = 4;
constexpr unsigned ALL = 0xffffffffu;
constexpr float LOG2E = 1.4426950408889634f;
constexpr float CELL = -2.0f * LOG2E;
// Below every score.
constexpr float LOWEST = -3.402823466e38f;
// Loads that a thread starts before it waits for the first of them: a row may come over the bus, which answers late.
constexpr int INPUTS_TOGETHER = 16, STEPS_TOGETHER = 8, WEIGHTS_TOGETHER = 32;
// Steps that the gradient reads before it computes the ones before them.
constexpr int STEPS_BEFORE = 4;

// 1 / (1 + 2^z): with z = -x log2(e) the sigmoid of x, with twice that (tanh(x) + 1) / 2.
__device__ __forceinline__ float sigmoidOf(float z) { return reciprocal(1.0f + exp2Approx(z)); }

__device__ __forceinline__ void addGates(float4 &sum, float value, const float4 &weight) {
  sum.x = fmaf(value, weight.x, sum.x);
  sum.y = fmaf(value, weight.y, sum.y);
  sum.z = fmaf(value, weight.z, sum.z);
  sum.w = fmaf(value, weight.w, sum.w);
}

// All steps of a row. Returns the last state, in shared memory. `hidden`: [2][H], before and after a step; `inputs`: [chunkSteps][columns]. With KEEP
// also writes, for the gradient, `gates` [steps][H][i, f, c times CELL, o] and `cells` [steps][H], times CELL.
template <int H, int X, bool KEEP>
__device__ __forceinline__ const float *runSteps(const float *x, const float *__restrict__ packed, float *states, float *gates, float *cells,
                                                 float *hidden, float *inputs, int steps, int columns, int chunkSteps) {
  constexpr int THREADS = LANES * H, HELD = H / LANES, COLUMNS = X / LANES;
  const int thread = threadIdx.x, unit = thread / LANES, lane = thread % LANES;
  const float4 *weights = reinterpret_cast<const float4 *>(packed) + thread;
  float4 heldStates[HELD], heldColumns[COLUMNS];
#pragma unroll
  for (int k = 0; k < HELD; k++) heldStates[k] = weights[k * THREADS];
#pragma unroll
  for (int k = 0; k < COLUMNS; k++) heldColumns[k] = weights[(HELD + k) * THREADS];
  const float4 bias = weights[(HELD + COLUMNS) * THREADS];

  for (int i = thread; i < 2 * H; i += THREADS) hidden[i] = 0.0f;
  const bool high = lane & 2, odd = lane & 1;
  // Each lane has one gate; c is a tanh, and scaled as the cell is.
  const float factor = lane == 2 ? 2.0f * CELL : 1.0f, offset = lane == 2 ? -CELL : 0.0f;
  float cell = 0.0f;  // times CELL, so that its tanh needs no product
  const float4 *before = reinterpret_cast<const float4 *>(hidden) + lane;
  float *after = hidden + H + unit;
  float *state = states + unit, *gatePlace = gates + thread, *cellPlace = cells + unit;
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
        addGates(next, value, heldColumns[k]);
      }
    };
    addColumns();
    for (int t = 0; t < count; t++) {
      float4 sums = next;
#pragma unroll
      for (int k = 0; k < HELD; k += 4) {
        const float4 h = before[k / 4 * LANES];
        addGates(sums, h.x, heldStates[k]);
        addGates(sums, h.y, heldStates[k + 1]);
        addGates(sums, h.z, heldStates[k + 2]);
        addGates(sums, h.w, heldStates[k + 3]);
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
      if (KEEP) {
        *gatePlace = gate;
        gatePlace += THREADS;
        if (lane == 1) *cellPlace = cell;
        cellPlace += H;
      }
      after -= swap;
      before += swap / 4;
      swap = -swap;
    }
  }
  __syncthreads();
  return reinterpret_cast<const float *>(before - lane);
}

// Attention over the states of a row: writes the last state and the weighted mean of all to `joined` [2 H]. `merged`: space for [4 H / 16][H + 2].
template <int H>
__device__ __forceinline__ void attend(const float *states, const float *__restrict__ attention, const float *last, float *merged, float *joined,
                                       int steps) {
  constexpr int THREADS = LANES * H;
  const int thread = threadIdx.x;
  // 16 lanes take a step together; each group keeps the largest score so far, and sums relative to it.
  constexpr int GROUP = 16, EACH = H / GROUP, GROUPS = THREADS / GROUP;
  const int group = thread / GROUP, part = thread % GROUP;
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
}

// The space of attention and trunk: [4 H / 16 groups][H + 2], then [2 H + contextColumns]. CudaTrunk.ts counts it too.
template <int H, int X>
__device__ __forceinline__ void trunk(const float *x, const float *__restrict__ context, const float *__restrict__ packed,
                                      const float *__restrict__ attention, const float *__restrict__ trunkKernel,
                                      const float *__restrict__ trunkBias, float *states, float *out, int steps, int columns,
                                      int contextColumns, int outputs, int chunkSteps) {
  constexpr int THREADS = LANES * H;
  extern __shared__ float4 sharedMemory[];
  float *hidden = reinterpret_cast<float *>(sharedMemory);
  float *inputs = hidden + 2 * H;  // later the space of attention and trunk
  const int thread = threadIdx.x, row = blockIdx.x;
  states += static_cast<size_t>(row) * steps * H;
  x += static_cast<size_t>(row) * steps * columns;
  const float *last = runSteps<H, X, false>(x, packed, states, nullptr, nullptr, hidden, inputs, steps, columns, chunkSteps);
  float *joined = inputs + THREADS / 16 * (H + 2);
  for (int i = thread; i < contextColumns; i += THREADS) joined[2 * H + i] = context[static_cast<size_t>(row) * contextColumns + i];
  attend<H>(states, attention, last, inputs, joined, steps);
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

// Forward pass of training: [rows, 2 H]. Shared memory as for the trunk without context.
template <int H, int X>
__device__ __forceinline__ void summary(const float *x, const float *__restrict__ packed, const float *__restrict__ attention, float *states,
                                        float *gates, float *cells, float *out, int steps, int columns, int chunkSteps) {
  extern __shared__ float4 sharedMemory[];
  float *hidden = reinterpret_cast<float *>(sharedMemory);
  float *inputs = hidden + 2 * H;
  const size_t first = static_cast<size_t>(blockIdx.x) * steps;
  states += first * H;
  const float *last = runSteps<H, X, true>(x + first * columns, packed, states, gates + first * LANES * H, cells + first * H, hidden, inputs, steps,
                                           columns, chunkSteps);
  float *joined = inputs + LANES * H / 16 * (H + 2);
  attend<H>(states, attention, last, inputs, joined, steps);
  if (threadIdx.x < 2 * H) out[blockIdx.x * 2 * H + threadIdx.x] = joined[threadIdx.x];
}

// Sum over all threads of the block, in a fixed order. `place`: a float a warp.
template <int WARPS>
__device__ __forceinline__ float sumOfBlock(float value, float *place) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(ALL, value, lanes);
  if (threadIdx.x % 32 == 0) place[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0.0f;
#pragma unroll
  for (int warp = 0; warp < WARPS; warp++) value += place[warp];
  __syncthreads();
  return value;
}

template <int WARPS>
__device__ __forceinline__ float largestOfBlock(float value, float *place) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) value = fmaxf(value, __shfl_xor_sync(ALL, value, lanes));
  if (threadIdx.x % 32 == 0) place[threadIdx.x / 32] = value;
  __syncthreads();
#pragma unroll
  for (int warp = 0; warp < WARPS; warp++) value = fmaxf(value, place[warp]);
  __syncthreads();
  return value;
}

// From the gradient of the summary back through all steps: writes dz [rows, steps, 4 H], the gradients of the gates before their functions, by unit,
// then gate, and one row of `sums` for the attention. Shared memory: [2][4 H], [steps], [steps], then a float a warp.
// `packed`: [H / 4][threads] float4s, the recurrent weights of the own unit for the gates that this lane reads (packLstm.ts).
template <int H>
__device__ __forceinline__ void gradient(const float *__restrict__ packed, const float *__restrict__ attention, const float *states,
                                         const float *gates, const float *cells, const float *dSummary, float *dz, float *sums, int steps,
                                         int depth) {
  constexpr int THREADS = LANES * H, WARPS = THREADS / 32, HELD = H / LANES;
  extern __shared__ float4 sharedMemory[];
  float *shared = reinterpret_cast<float *>(sharedMemory);  // [2][THREADS]: dz of a step, and of the one after it
  float *shares = shared + 2 * THREADS;                     // [steps]: scores, then their softmax
  float *dScores = shares + steps;                          // [steps]: gradients of the shares, then of the scores
  float *place = dScores + steps;
  const int thread = threadIdx.x, unit = thread / LANES, lane = thread % LANES, row = blockIdx.x;
  const size_t first = static_cast<size_t>(row) * steps;
  states += first * H;
  const float *dLast = dSummary + row * 2 * H, *dMean = dLast + H;

  // As in `attend`.
  constexpr int GROUP = 16, EACH = H / GROUP, GROUPS = THREADS / GROUP;
  const int group = thread / GROUP, part = thread % GROUP;
  for (int round = 0; round < steps; round += GROUPS) {
    const int t = round + group;
    float score = 0.0f, dShare = 0.0f;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      const float state = t < steps ? states[t * H + e * GROUP + part] : 0.0f;
      score = fmaf(state, attention[e * GROUP + part], score);
      dShare = fmaf(state, dMean[e * GROUP + part], dShare);
    }
#pragma unroll
    for (int lanes = GROUP / 2; lanes > 0; lanes /= 2) {
      score += __shfl_xor_sync(ALL, score, lanes);
      dShare += __shfl_xor_sync(ALL, dShare, lanes);
    }
    if (part == 0 && t < steps) {
      shares[t] = score * LOG2E;
      dScores[t] = dShare;
    }
  }
  __syncthreads();
  float largest = LOWEST, whole = 0.0f, mean = 0.0f;
  for (int t = thread; t < steps; t += THREADS) largest = fmaxf(largest, shares[t]);
  largest = largestOfBlock<WARPS>(largest, place);
  for (int t = thread; t < steps; t += THREADS) {
    shares[t] = exp2Approx(shares[t] - largest);
    whole += shares[t];
    mean = fmaf(shares[t], dScores[t], mean);
  }
  whole = reciprocal(sumOfBlock<WARPS>(whole, place));
  mean = sumOfBlock<WARPS>(mean, place) * whole;
  for (int t = thread; t < steps; t += THREADS) {
    shares[t] *= whole;
    dScores[t] = shares[t] * (dScores[t] - mean);
  }

  float4 held[HELD];
#pragma unroll
  for (int k = 0; k < HELD; k++) held[k] = reinterpret_cast<const float4 *>(packed)[k * THREADS + thread];
  const float attentionOwn = attention[unit], dMeanOwn = dMean[unit];
  const float4 *gatesOwn = reinterpret_cast<const float4 *>(gates) + first * H + unit;
  const float *cellsOwn = cells + first * H + unit;
  float *dzOwn = dz + (first + steps - 1) * THREADS + thread;
  // What the step needs comes from far away, and is read some steps before.
  float4 nextGates[STEPS_BEFORE];
  float nextCells[STEPS_BEFORE];
  auto readFrom = [&](int last) {
#pragma unroll
    for (int i = 0; i < STEPS_BEFORE; i++) {
      const int t = last - i;
      nextGates[i] = t >= 0 ? gatesOwn[t * H] : float4{0.0f, 0.0f, 0.0f, 0.0f};
      nextCells[i] = t >= 1 ? cellsOwn[(t - 1) * H] : 0.0f;
    }
  };
  readFrom(steps - 1);
  float cell = cellsOwn[(steps - 1) * H], dh = dLast[unit], dCell = 0.0f, dAttention = 0.0f;
  int swap = THREADS;
  float *after = shared + thread;
  const float4 *all = reinterpret_cast<const float4 *>(shared) + lane;
  __syncthreads();
  for (int last = steps - 1; last >= 0; last -= STEPS_BEFORE) {
    float4 gatesNow[STEPS_BEFORE];
    float cellsBefore[STEPS_BEFORE];
#pragma unroll
    for (int i = 0; i < STEPS_BEFORE; i++) {
      gatesNow[i] = nextGates[i];
      cellsBefore[i] = nextCells[i];
    }
    readFrom(last - STEPS_BEFORE);
#pragma unroll
    for (int i = 0; i < STEPS_BEFORE; i++) {
      const int t = last - i;
      if (t < 0) break;
      const float in = gatesNow[i].x, forget = gatesNow[i].y, fresh = gatesNow[i].z * (1.0f / CELL), open = gatesNow[i].w;
      const float squashed = fmaf(2.0f, sigmoidOf(cell), -1.0f);
      // Factors of this lane's gate; all but the last follow from the gradient of the cell.
      const float ofCell = open * fmaf(-squashed, squashed, 1.0f);
      const float ofGate = lane == 0   ? fresh * in * (1.0f - in)
                           : lane == 1 ? cellsBefore[i] * (1.0f / CELL) * forget * (1.0f - forget)
                           : lane == 2 ? in * fmaf(-fresh, fresh, 1.0f)
                                       : squashed * open * (1.0f - open);
      dh = fmaf(shares[t], dMeanOwn, fmaf(dScores[t], attentionOwn, dh));
      dAttention = fmaf(dScores[t], open * squashed, dAttention);
      dCell = fmaf(dh, ofCell, dCell);
      const float own = (lane == 3 ? dh : dCell) * ofGate;
      *after = own;
      *dzOwn = own;
      __syncthreads();
      float sum = 0.0f, other = 0.0f;
#pragma unroll
      for (int k = 0; k < HELD; k++) {
        const float4 d = all[k * LANES];
        sum = fmaf(d.x, held[k].x, fmaf(d.y, held[k].y, sum));
        other = fmaf(d.z, held[k].z, fmaf(d.w, held[k].w, other));
      }
      sum += other;
      sum += __shfl_xor_sync(ALL, sum, 1);
      dh = sum + __shfl_xor_sync(ALL, sum, 2);
      dCell *= forget;
      cell = cellsBefore[i];
      dzOwn -= THREADS;
      after += swap;
      all += swap / 4;
      swap = -swap;
    }
  }
  sums[(static_cast<size_t>(row) * (depth + 1) + depth) * THREADS + thread] = lane == 0 ? dAttention : 0.0f;
}

extern "C" __global__ void __launch_bounds__(LANES *UNITS, 2)
    trunkForward(const float *x, const float *context, const float *packed, const float *attention, const float *trunkKernel,
                 const float *trunkBias, float *states, float *out, int steps, int columns, int contextColumns, int outputs, int chunkSteps) {
  trunk<UNITS, MOST_COLUMNS>(x, context, packed, attention, trunkKernel, trunkBias, states, out, steps, columns, contextColumns, outputs,
                             chunkSteps);
}

extern "C" __global__ void __launch_bounds__(LANES *UNITS, 1)
    summaryForward(const float *x, const float *packed, const float *attention, float *states, float *gates, float *cells, float *out, int steps,
                   int columns, int chunkSteps) {
  summary<UNITS, MOST_COLUMNS>(x, packed, attention, states, gates, cells, out, steps, columns, chunkSteps);
}

extern "C" __global__ void __launch_bounds__(LANES *UNITS, 1)
    summaryBackward(const float *packed, const float *attention, const float *states, const float *gates, const float *cells,
                    const float *dSummary, float *dz, float *sums, int steps, int depth) {
  gradient<UNITS>(packed, attention, states, gates, cells, dSummary, dz, sums, steps, depth);
}

// Products of the inputs of all steps of a row and the gradients of their gates: writes rows of `sums` [rows, depth + 1, 4 units]; depth is columns,
// units, one of the bias. A block has 4 units threads, one a gate, and computes DEPTH rows of one row of the batch. Shared memory: [CHUNK][DEPTH].
constexpr int DEPTH = 16, CHUNK = 32;
extern "C" __global__ void __launch_bounds__(256, 1)
    weightGradients(const float *x, const float *states, const float *dz, float *sums, int steps, int columns, int units, int tiles) {
  extern __shared__ float4 sharedMemory[];
  const float4 *inputs = sharedMemory;
  const int threads = LANES * units, thread = threadIdx.x, row = blockIdx.x / tiles, from = blockIdx.x % tiles * DEPTH;
  const int depth = columns + units + 1;
  const size_t first = static_cast<size_t>(row) * steps;
  float total[DEPTH];
#pragma unroll
  for (int d = 0; d < DEPTH; d++) total[d] = 0.0f;
  for (int start = 0; start < steps; start += CHUNK) {
    const int count = min(CHUNK, steps - start);
    __syncthreads();
    for (int i = thread; i < count * DEPTH; i += threads) {
      const int t = start + i / DEPTH, d = from + i % DEPTH;
      float value = d == depth - 1 ? 1.0f : 0.0f;
      if (d < columns) value = x[(first + t) * columns + d];
      // The state before the step; before the first one it is 0.
      if (d >= columns && d < columns + units && t > 0) value = states[(first + t - 1) * units + d - columns];
      reinterpret_cast<float *>(sharedMemory)[i] = value;
    }
    __syncthreads();
    const float *own = dz + (first + start) * threads + thread;
#pragma unroll 4
    for (int t = 0; t < count; t++) {
      const float gate = own[static_cast<size_t>(t) * threads];
#pragma unroll
      for (int d = 0; d < DEPTH; d += 4) {
        const float4 input = inputs[(t * DEPTH + d) / 4];
        total[d] = fmaf(input.x, gate, total[d]);
        total[d + 1] = fmaf(input.y, gate, total[d + 1]);
        total[d + 2] = fmaf(input.z, gate, total[d + 2]);
        total[d + 3] = fmaf(input.w, gate, total[d + 3]);
      }
    }
  }
#pragma unroll
  for (int d = 0; d < DEPTH; d++)
    if (from + d < depth) sums[(static_cast<size_t>(row) * (depth + 1) + from + d) * threads + thread] = total[d];
}

// Adds [rows, count] up to [count], one number a thread, row after row.
extern "C" __global__ void __launch_bounds__(256, 1) sumRows(const float *sums, float *out, int rows, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float total = 0.0f;
#pragma unroll 8
  for (int row = 0; row < rows; row++) total += sums[static_cast<size_t>(row) * count + i];
  out[i] = total;
}
