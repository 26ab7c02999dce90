import { resumedRandom, type RandomState, type SeededRandom } from '../../src/core/Random.ts';
import { WEIGHT_NAMES, type WeightArrays, type WeightName } from '../../src/engine/model/NetworkWeights.ts';
import { AdamW, type AdamWState } from './AdamW.ts';
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

type SavedLoop = Omit<LoopState, 'optimizer' | 'random' | 'learn' | 'result' | 'write' | 'read'> & {
  readonly optimizer: AdamWState;
  readonly random: RandomState;
};

/** The state of a training loop between steps, and how it is saved and restored. */
export class LoopState {
  readonly weights: WeightArrays;
  readonly mean: WeightArrays;
  /** Mean weights of the best validation. */
  best: { readonly weights: WeightArrays; readonly step: number; readonly loss: number };
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

  constructor(start: WeightArrays, random: SeededRandom) {
    this.weights = copyWeights(start);
    this.mean = copyWeights(start);
    this.best = { weights: copyWeights(start), step: 0, loss: Infinity };
    this.optimizer = new AdamW(start);
    this.random = random;
  }

  /** Records a validation of the mean weights. NaN: there are no validation rows, and the newest weights are the best. */
  learn(loss: number): void {
    if (!Number.isNaN(loss)) this.validation.push({ step: this.step, loss });
    if (!Number.isNaN(loss) && loss >= this.best.loss) {
      this.sinceBest++;
      this.cuts++;
      return;
    }
    this.best = { weights: copyWeights(this.mean), step: this.step, loss: Number.isNaN(loss) ? Infinity : loss };
    this.sinceBest = 0;
  }

  result(steps: number, ended: LoopResult['ended']): LoopResult {
    const { best, training, validation } = this;
    return { weights: best.weights, bestStep: best.step, bestLoss: best.loss, steps, training, validation, ended };
  }

  write(file: string | undefined): void {
    if (file === undefined) return;
    writeCheckpoint(file, { ...this, optimizer: this.optimizer.state, random: this.random.state() } satisfies SavedLoop);
  }

  /** Restores a checkpoint; does nothing if there is none. */
  read(file: string): void {
    const saved = readCheckpoint<SavedLoop>(file);
    if (saved === undefined) return;
    const { optimizer, random, ...rest } = saved;
    this.optimizer.state = optimizer;
    Object.assign(this, { ...rest, random: resumedRandom(random) });
  }
}
