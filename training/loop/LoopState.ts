import { resumedRandom, type RandomState, type SeededRandom } from '../../src/core/Random.ts';
import { WEIGHT_NAMES, type WeightArrays, type WeightName } from '../../src/engine/model/NetworkWeights.ts';
import type { AdamW } from './AdamW.ts';
import { readCheckpoint, writeCheckpoint } from './Checkpoint.ts';
import type { CurvePoint, LoopResult } from './LoopTypes.ts';

export function copyWeights(weights: WeightArrays): WeightArrays {
  return Object.fromEntries(WEIGHT_NAMES.map((name) => [name, weights[name].slice()])) as Record<WeightName, Float32Array>;
}

/** Updates the running mean of weights in place: decay · mean + (1 − decay) · weights. */
export function moveMean(mean: WeightArrays, weights: WeightArrays, decay: number): void {
  for (const name of WEIGHT_NAMES) {
    const [to, from] = [mean[name], weights[name]];
    for (let i = 0; i < to.length; i++) to[i] = decay * (to[i] as number) + (1 - decay) * (from[i] as number);
  }
}

/** Weights under their names in a checkpoint, `<prefix>:<weight>`. */
function packWeights(prefix: string, weights: WeightArrays): Record<string, Float32Array> {
  return Object.fromEntries(WEIGHT_NAMES.map((name) => [`${prefix}:${name}`, weights[name]]));
}

/** Copies what `packWeights` packed into `weights`. Throws RangeError if an array is missing or has another length. */
function unpackWeights(prefix: string, arrays: Readonly<Record<string, Float32Array | Int32Array>>, weights: WeightArrays): void {
  for (const name of WEIGHT_NAMES) {
    const saved = arrays[`${prefix}:${name}`];
    if (saved?.length !== weights[name].length)
      throw new RangeError(`The checkpoint has ${saved?.length ?? 'no'} values for ${prefix}:${name}, not ${weights[name].length}.`);
    weights[name].set(saved);
  }
}

type SavedLoop = {
  readonly step: number;
  readonly adamStep: number;
  /** null before the first step, because JSON has no NaN. */
  readonly recent: number | null;
  readonly random: RandomState;
  readonly best: { readonly step: number; readonly loss: number | null };
  readonly sinceBest: number;
  readonly cuts: number;
  readonly training: readonly CurvePoint[];
  readonly validation: readonly CurvePoint[];
};

/** The state of a training loop between steps, and how it is saved and restored. */
export class LoopState {
  readonly weights: WeightArrays;
  readonly mean: WeightArrays;
  readonly optimizer: AdamW;
  random: SeededRandom;
  /** Order of the rows in the current epoch. */
  order: Int32Array = new Int32Array(0);
  step = 0;
  /** Running mean of the training loss. */
  recent = NaN;
  sinceBest = 0;
  /** Validations since the last one that improved the best loss. */
  cuts = 0;
  training: CurvePoint[] = [];
  validation: CurvePoint[] = [];
  readonly #best: WeightArrays;
  #bestStep = 0;
  #bestLoss = Infinity;

  constructor(start: WeightArrays, optimizer: AdamW, random: SeededRandom) {
    this.weights = copyWeights(start);
    this.mean = copyWeights(start);
    this.#best = copyWeights(start);
    this.optimizer = optimizer;
    this.random = random;
  }

  /** Records a validation of the mean weights. NaN: there are no validation rows, and the newest weights are the best. */
  learn(loss: number): void {
    if (!Number.isNaN(loss)) this.validation.push({ step: this.step, loss });
    if (!Number.isNaN(loss) && loss >= this.#bestLoss) {
      this.sinceBest++;
      this.cuts++;
      return;
    }
    this.#bestLoss = Number.isNaN(loss) ? Infinity : loss;
    this.#bestStep = this.step;
    this.sinceBest = 0;
    unpackWeights('mean', packWeights('mean', this.mean), this.#best);
  }

  result(steps: number, ended: LoopResult['ended']): LoopResult {
    return {
      weights: copyWeights(this.#best),
      bestStep: this.#bestStep,
      bestLoss: this.#bestLoss,
      finalLoss: this.recent,
      steps,
      training: this.training,
      validation: this.validation,
      ended,
    };
  }

  write(file: string | undefined): void {
    if (file === undefined) return;
    const { step: adamStep, moments } = this.optimizer.state();
    const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
    const meta: SavedLoop = {
      step: this.step,
      adamStep,
      recent: finite(this.recent),
      random: this.random.state(),
      best: { step: this.#bestStep, loss: finite(this.#bestLoss) },
      sinceBest: this.sinceBest,
      cuts: this.cuts,
      training: this.training,
      validation: this.validation,
    };
    const weights = { ...packWeights('weights', this.weights), ...packWeights('mean', this.mean), ...packWeights('best', this.#best) };
    writeCheckpoint(file, { meta, arrays: { order: this.order, ...weights, ...moments } });
  }

  /** Restores a checkpoint; does nothing if there is none. */
  read(file: string): void {
    const saved = readCheckpoint<SavedLoop>(file);
    if (saved === undefined) return;
    const { meta, arrays } = saved;
    unpackWeights('weights', arrays, this.weights);
    unpackWeights('mean', arrays, this.mean);
    unpackWeights('best', arrays, this.#best);
    this.optimizer.restore({ step: meta.adamStep, moments: arrays as Record<string, Float32Array> });
    this.order = arrays['order'] as Int32Array;
    this.random = resumedRandom(meta.random);
    this.step = meta.step;
    this.recent = meta.recent ?? NaN;
    this.#bestStep = meta.best.step;
    this.#bestLoss = meta.best.loss ?? Infinity;
    this.sinceBest = meta.sinceBest;
    this.cuts = meta.cuts;
    this.training = [...meta.training];
    this.validation = [...meta.validation];
  }
}
