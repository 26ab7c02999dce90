import { ServiceError } from '../../src/core/ServiceError.ts';
import { seededRandom, type Random } from '../../src/core/Random.ts';
import { isConnected, WEIGHT_NAMES, type WeightArrays, type WeightName } from '../../src/model/NetworkWeights.ts';
import type { NetworkSpec } from '../../src/model/NetworkSpec.ts';
import type { RowSet } from '../data/RowSet.ts';
import { AdamW } from './AdamW.ts';
import { allocateBatch, fillBatch } from './Batch.ts';
import { initialWeights, type BaselineFit } from './initialWeights.ts';
import { lossAndGradients } from './lossAndGradients.ts';
import { applyScale, fitScaling, foldScaling } from './scaling.ts';

export type LoopOptions = {
  readonly spec: NetworkSpec;
  readonly baselines: readonly BaselineFit[];
  readonly epochs: number;
  readonly batchSize: number;
  readonly learningRate: number;
  readonly seed: number;
};

export type LoopProgress = { readonly step: number; readonly steps: number; readonly loss: number };

/** Steps over which the learning rate rises. */
const WARM_UP_STEPS = 60;
/** The rate falls along a cosine to this share of its peak. */
const FINAL_RATE = 0.02;
/** Decay of the running mean of the weights, which is what is kept: it varies less from seed to seed than the last step. */
const MEAN_DECAY = 0.998;

/**
 * Trains a network on the rows `index` of `rows`. The same rows, options and backend give the same weights. Throws ServiceError
 * `training.diverged` with the step at which the loss was no longer a number.
 */
export function trainNetwork(
  rows: RowSet,
  index: Int32Array,
  options: LoopOptions,
  onProgress: (at: LoopProgress) => void = () => {},
): WeightArrays {
  const { spec, batchSize, seed } = options;
  const random = seededRandom(seed);
  const scaling = fitScaling(rows, index);
  const weights = initialWeights(spec, options.baselines, seed + 1);
  const mean = copyOf(weights);
  const optimizer = new AdamW(weights);
  const masks = connectionMasks(spec);
  const batch = allocateBatch(Math.min(batchSize, index.length), spec);
  const perEpoch = Math.floor(index.length / batch.size);
  const steps = perEpoch * options.epochs;
  let step = 0;
  let recent = NaN;
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    const order = shuffled(index, random);
    for (let at = 0; at < perEpoch; at++, step++) {
      fillBatch(batch, rows, order, at * batch.size, random, spec.heads);
      applyScale(batch.sequence, scaling.sequence);
      applyScale(batch.context, scaling.context);
      const { loss, gradients } = lossAndGradients(spec, weights, batch);
      if (!Number.isFinite(loss))
        throw new ServiceError('training.diverged', `The loss is ${loss} at step ${step} (epoch ${epoch}, batch ${at}).`);
      optimizer.step(weights, gradients, options.learningRate * rateShare(step, steps), masks);
      moveMean(mean, weights, Math.min(MEAN_DECAY, (1 + step) / (10 + step)));
      recent = Number.isNaN(recent) ? loss : 0.98 * recent + 0.02 * loss;
      onProgress({ step: step + 1, steps, loss: recent });
    }
  }
  return foldScaling(mean, spec, scaling);
}

function rateShare(step: number, steps: number): number {
  const rise = Math.min(1, (step + 1) / WARM_UP_STEPS);
  return rise * (FINAL_RATE + (1 - FINAL_RATE) * 0.5 * (1 + Math.cos((Math.PI * step) / steps)));
}

function shuffled(index: Int32Array, random: Random): Int32Array {
  const order = index.slice();
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    const kept = order[i] as number;
    order[i] = order[j] as number;
    order[j] = kept;
  }
  return order;
}

function copyOf(weights: WeightArrays): WeightArrays {
  return Object.fromEntries(WEIGHT_NAMES.map((name) => [name, weights[name].slice()])) as Record<WeightName, Float32Array>;
}

function moveMean(mean: WeightArrays, weights: WeightArrays, decay: number): void {
  for (const name of WEIGHT_NAMES) {
    const [to, from] = [mean[name], weights[name]];
    for (let i = 0; i < to.length; i++) to[i] = decay * (to[i] as number) + (1 - decay) * (from[i] as number);
  }
}

/** 1 where an output kernel's entry may move: heads never see another head's adapter. */
function connectionMasks(spec: NetworkSpec): Partial<WeightArrays> {
  const K = spec.heads;
  const mask = new Float32Array((spec.dense + K * spec.adapterRank) * K);
  mask.forEach((_, at) => (mask[at] = isConnected(spec, Math.floor(at / K), at % K) ? 1 : 0));
  return { 'opportunity/kernel': mask, 'direction/kernel': mask };
}
