export type LogisticFit = {
  readonly intercept: number;
  /** One weight per feature. */
  readonly weights: Float64Array;
};

export type LogisticOptions = {
  /** Factor of the penalty l2/2 · Σ weight² on the summed loss, without the intercept. Above 0, the fit is finite even on separable rows. */
  readonly l2?: number;
  /** A fixed part of the logit, length n. */
  readonly offset?: Float64Array;
};

const MAX_STEPS = 60;
/** Largest relative step of a weight that is taken without a search. */
const SETTLED = 1e-7;
const DEFAULT_L2 = 1e-3;

/** 1 / (1 + e^−x), without overflow. */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}

/**
 * Logistic regression with intercept by Newton steps (iteratively reweighted least squares; McCullagh & Nelder 1989, ch. 4), each halved
 * until the penalised loss falls. With one class only the weights are 0 and the intercept is ln((n₁ + ½)/(n₀ + ½)) less the mean offset.
 * The caller must scale the features alike, because the penalty applies to their weights.
 *
 * @param features n × k, row by row, finite
 * @param y 0 or 1, length n
 * @throws RangeError if the lengths differ
 */
export function fitLogistic(features: Float64Array, n: number, k: number, y: Uint8Array, options: LogisticOptions = {}): LogisticFit {
  const { l2 = DEFAULT_L2, offset } = options;
  if (features.length !== n * k || y.length !== n || (offset !== undefined && offset.length !== n) || !(l2 >= 0)) {
    throw new RangeError(`fitLogistic: ${features.length} features for ${n} rows of ${k}, ${y.length} labels, l2 ${l2}`);
  }
  const positives = y.reduce((sum, label) => sum + label, 0);
  const rate = (positives + 0.5) / (n + 1);
  const meanOffset = offset === undefined || n === 0 ? 0 : offset.reduce((sum, value) => sum + value, 0) / n;
  let beta = new Float64Array(k + 1);
  beta[k] = Math.log(rate / (1 - rate)) - meanOffset;
  if (positives === 0 || positives === n) return { intercept: beta[k], weights: new Float64Array(k) };

  const problem: Problem = { features, n, k, y, l2, offset };
  let loss = penalisedLoss(problem, beta);
  for (let step = 0; step < MAX_STEPS; step++) {
    const direction = newtonStep(problem, beta);
    // So close, Newton's method squares the error with each step, and differences of the loss are lost in rounding.
    if (direction.every((value, j) => Math.abs(value) <= SETTLED * (1 + Math.abs(beta[j])))) {
      beta = beta.map((value, j) => value - direction[j]);
      break;
    }
    let size = 1;
    let next = beta;
    let nextLoss = Infinity;
    for (; size > 1e-9; size /= 2) {
      next = beta.map((value, j) => value - size * direction[j]);
      nextLoss = penalisedLoss(problem, next);
      if (nextLoss <= loss) break;
    }
    if (!(nextLoss <= loss)) break;
    beta = next;
    loss = nextLoss;
  }
  return { intercept: beta[k], weights: beta.slice(0, k) };
}

type Problem = {
  readonly features: Float64Array;
  readonly n: number;
  readonly k: number;
  readonly y: Uint8Array;
  readonly l2: number;
  readonly offset: Float64Array | undefined;
};

/** `beta`: k weights, then the intercept. */
function logitOf({ features, k, offset }: Problem, beta: Float64Array, row: number): number {
  let logit = beta[k] + (offset === undefined ? 0 : offset[row]);
  for (let j = 0, at = row * k; j < k; j++, at++) logit += beta[j] * features[at];
  return logit;
}

function penalisedLoss(problem: Problem, beta: Float64Array): number {
  let loss = 0;
  for (let i = 0; i < problem.n; i++) {
    // ln(1 + e^m) with m = −logit for a positive, logit for a negative.
    const m = problem.y[i] === 1 ? -logitOf(problem, beta, i) : logitOf(problem, beta, i);
    loss += m > 0 ? m + Math.log1p(Math.exp(-m)) : Math.log1p(Math.exp(m));
  }
  for (let j = 0; j < problem.k; j++) loss += (problem.l2 / 2) * beta[j] ** 2;
  return loss;
}

/** Hessian⁻¹ · gradient of the penalised loss at `beta`. */
function newtonStep(problem: Problem, beta: Float64Array): Float64Array {
  const { features, n, k, y, l2 } = problem;
  const size = k + 1;
  const gradient = new Float64Array(size);
  const hessian = new Float64Array(size * size);
  const row = new Float64Array(size).fill(1);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < k; j++) row[j] = features[i * k + j];
    const p = sigmoid(logitOf(problem, beta, i));
    const curvature = p * (1 - p);
    for (let a = 0; a < size; a++) {
      gradient[a] += (p - y[i]) * row[a];
      const scaled = curvature * row[a];
      for (let b = 0; b <= a; b++) hessian[a * size + b] += scaled * row[b];
    }
  }
  for (let j = 0; j < k; j++) {
    gradient[j] += l2 * beta[j];
    hessian[j * size + j] += l2;
  }
  return solvePositive(hessian, gradient, size);
}

/**
 * Solves A x = b for symmetric A ≥ 0 (lower triangle read) by Cholesky; a vanishing pivot, for instance of a duplicate column, is raised to
 * a small fraction of the diagonal, so that the step in this direction is close to 0.
 */
function solvePositive(a: Float64Array, b: Float64Array, size: number): Float64Array {
  const l = Float64Array.from(a);
  let largest = 0;
  for (let j = 0; j < size; j++) largest = Math.max(largest, a[j * size + j]);
  const least = Math.max(largest * 1e-13, Number.MIN_VALUE * 1e20);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = l[i * size + j];
      for (let m = 0; m < j; m++) sum -= l[i * size + m] * l[j * size + m];
      l[i * size + j] = i === j ? Math.sqrt(Math.max(sum, least)) : sum / l[j * size + j];
    }
  }
  const x = Float64Array.from(b);
  for (let i = 0; i < size; i++) {
    for (let m = 0; m < i; m++) x[i] -= l[i * size + m] * x[m];
    x[i] /= l[i * size + i];
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let m = i + 1; m < size; m++) x[i] -= l[m * size + i] * x[m];
    x[i] /= l[i * size + i];
  }
  return x;
}

/** calibrated logit = slope · logit + intercept. */
export type PlattScale = { readonly slope: number; readonly intercept: number };

const MIN_ROWS = 100;
const MIN_OF_EACH_CLASS = 20;
/** Least slope: a slope at or below 0 would reverse the order of the probabilities, so a useless head is flattened instead. */
const MIN_SLOPE = 0.05;
/** Prior of the slope: normal with mean 1 and variance 1. It has little weight against a few hundred rows. */
const SLOPE_L2 = 1;

/**
 * Slope and intercept that calibrate logits (Platt 1999), fitted by maximum likelihood with a weak prior of the slope around 1. The slope
 * is at least 0.05. With fewer than 100 rows, or 20 of a class, the result is 1 and 0.
 *
 * @param logits length n, finite, of rows that the model was not trained on
 */
export function fitPlatt(logits: Float64Array, y: Uint8Array): PlattScale {
  const n = logits.length;
  const positives = y.reduce((sum, label) => sum + label, 0);
  if (n < MIN_ROWS || Math.min(positives, n - positives) < MIN_OF_EACH_CLASS) return { slope: 1, intercept: 0 };
  // slope = 1 + weight, so that the penalty on the weight pulls the slope to 1.
  const free = fitLogistic(logits, n, 1, y, { l2: SLOPE_L2, offset: logits });
  const slope = 1 + free.weights[0];
  if (slope >= MIN_SLOPE) return { slope, intercept: free.intercept };
  const offset = logits.map((logit) => MIN_SLOPE * logit);
  return { slope: MIN_SLOPE, intercept: fitLogistic(new Float64Array(0), n, 0, y, { offset }).intercept };
}
