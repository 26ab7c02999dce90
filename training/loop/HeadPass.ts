import { type NetworkSpec, sizeOf, weightShapes, type WeightArrays } from '../../src/engine/model/NetworkWeights.ts';
import { sigmoid } from '../metrics/logistic.ts';

/** Weight of the direction's cross entropy relative to the opportunity's. */
const DIRECTION_WEIGHT = 0.1;

const HEAD_WEIGHTS = [
  'adapters/kernel',
  'adapters/bias',
  'opportunity/kernel',
  'opportunity/bias',
  'direction/kernel',
  'direction/bias',
] as const;
export type HeadGradients = Record<(typeof HEAD_WEIGHTS)[number], Float32Array>;

/**
 * One head after the trunk, forward and backward on plain arrays: a few hundred multiplications take less time than starting a kernel of
 * any backend. Call `run` for one row, then read its loss or gradients.
 */
export class HeadPass {
  readonly #spec: NetworkSpec;
  readonly #adapter: Float64Array;
  #values: Float32Array = new Float32Array(0);
  /** Start index of the row in `values`. */
  #from = 0;
  #head = 0;
  #logit = 0;
  #direction = 0;
  #residual = 0;

  constructor(spec: NetworkSpec) {
    this.#spec = spec;
    this.#adapter = new Float64Array(spec.adapterRank);
  }

  emptyGradients(): HeadGradients {
    const shapes = weightShapes(this.#spec);
    return Object.fromEntries(HEAD_WEIGHTS.map((name) => [name, new Float32Array(sizeOf(shapes[name]))])) as HeadGradients;
  }

  /** Computes the logits from the trunk of one row, the `dense` values from `from` on: `baseline` is ln(sigma(600) sqrt(H) / theta). */
  run(w: WeightArrays, values: Float32Array, from: number, head: number, baseline: number): void {
    const { dense: D, adapterRank: r, heads: K } = this.#spec;
    this.#values = values;
    this.#from = from;
    this.#head = head;
    let residual = w['opportunity/bias'][head] as number;
    let direction = w['direction/bias'][head] as number;
    for (let a = 0; a < r; a++) {
      let sum = w['adapters/bias'][head * r + a] as number;
      for (let j = 0; j < D; j++) sum += (values[from + j] as number) * (w['adapters/kernel'][j * K * r + head * r + a] as number);
      this.#adapter[a] = Math.max(0, sum);
      const at = (D + head * r + a) * K + head;
      residual += (this.#adapter[a] as number) * (w['opportunity/kernel'][at] as number);
      direction += (this.#adapter[a] as number) * (w['direction/kernel'][at] as number);
    }
    for (let j = 0; j < D; j++) {
      const value = values[from + j] as number;
      residual += value * (w['opportunity/kernel'][j * K + head] as number);
      direction += value * (w['direction/kernel'][j * K + head] as number);
    }
    this.#residual = residual;
    this.#direction = direction;
    this.#logit = (w['baseline/kernel'][head] as number) * baseline + (w['baseline/bias'][head] as number) + residual;
  }

  get residual(): number {
    return this.#residual;
  }

  /** Logit of the opportunity: baseline + residual. */
  get logit(): number {
    return this.#logit;
  }

  get direction(): number {
    return this.#direction;
  }

  crossEntropy(isHit: 0 | 1): number {
    return crossEntropy(this.#logit, isHit);
  }

  /**
   * Adds the gradients of the row's loss times `share`, and returns the loss times `share`. The direction counts only on opportunities. `ofTrunk` gets
   * the gradient of the trunk's values, in the same place as these.
   */
  addGradients(w: WeightArrays, gradients: HeadGradients, isHit: 0 | 1, isUp: boolean, share: number, ofTrunk?: Float32Array): number {
    const { dense: D, adapterRank: r, heads: K } = this.#spec;
    const head = this.#head;
    const up = isUp ? 1 : 0;
    const ofHit = share * (sigmoid(this.#logit) - isHit);
    const ofDirection = isHit === 1 ? share * DIRECTION_WEIGHT * (sigmoid(this.#direction) - up) : 0;
    add(gradients['opportunity/bias'], head, ofHit);
    add(gradients['direction/bias'], head, ofDirection);
    for (let j = 0; j < D; j++) {
      const value = this.#values[this.#from + j] as number;
      add(gradients['opportunity/kernel'], j * K + head, ofHit * value);
      add(gradients['direction/kernel'], j * K + head, ofDirection * value);
    }
    if (ofTrunk !== undefined)
      for (let j = 0; j < D; j++) {
        const at = j * K + head;
        const back = ofHit * (w['opportunity/kernel'][at] as number) + ofDirection * (w['direction/kernel'][at] as number);
        ofTrunk[this.#from + j] = back;
      }
    for (let a = 0; a < r; a++) {
      const value = this.#adapter[a] as number;
      if (value === 0) continue;
      const at = (D + head * r + a) * K + head;
      add(gradients['opportunity/kernel'], at, ofHit * value);
      add(gradients['direction/kernel'], at, ofDirection * value);
      const back = ofHit * (w['opportunity/kernel'][at] as number) + ofDirection * (w['direction/kernel'][at] as number);
      add(gradients['adapters/bias'], head * r + a, back);
      for (let j = 0; j < D; j++)
        add(gradients['adapters/kernel'], j * K * r + head * r + a, back * (this.#values[this.#from + j] as number));
      if (ofTrunk !== undefined)
        for (let j = 0; j < D; j++) add(ofTrunk, this.#from + j, back * (w['adapters/kernel'][j * K * r + head * r + a] as number));
    }
    const ofLoss = isHit === 1 ? DIRECTION_WEIGHT * crossEntropy(this.#direction, up) : 0;
    return share * (crossEntropy(this.#logit, isHit) + ofLoss);
  }
}

/** softplus(z) − y z, without overflow. */
export function crossEntropy(z: number, y: number): number {
  return Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z))) - y * z;
}

function add(values: Float32Array, at: number, value: number): void {
  values[at] = (values[at] as number) + value;
}
