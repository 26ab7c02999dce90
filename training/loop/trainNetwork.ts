import type { NetworkSpec } from '../../src/engine/model/NetworkWeights.ts';
import type { RowSet } from '../data/RowSet.ts';
import { type BaselineFit, fitScaling, foldScaling } from './scaling.ts';
import type { LoopControl, LoopResult, LoopSettings } from './LoopTypes.ts';
import { networkSubject } from './networkSubject.ts';
import { trainLoop } from './trainLoop.ts';

export type NetworkTraining = LoopSettings & {
  readonly spec: NetworkSpec;
  readonly baselines: readonly BaselineFit[];
  readonly batchSize: number;
  /** Validation rows, which decide the weights that are kept; without them, the last weights are kept. */
  readonly validation: Int32Array;
};

export type TrainedNetwork = LoopResult & {
  /** Fraction of the time of all steps in which the device waited for its batch. */
  readonly waitFraction: number;
};

/** Trains a network on the rows `index` of `rows` and returns weights for unscaled inputs. See `trainLoop` for guarantees and errors. */
export function trainNetwork(rows: RowSet, index: Int32Array, options: NetworkTraining, control: LoopControl): TrainedNetwork {
  const scaling = fitScaling(rows, index);
  let waitedMs = 0;
  const onFilled = (ms: number): void => void (waitedMs += ms);
  const subject = networkSubject(rows, index, { ...options, scaling, onFilled, nowMs: control.nowMs });
  let steppedMs = 0;
  const timed = {
    ...subject,
    gradients: (...given: Parameters<typeof subject.gradients>) => {
      const startMs = control.nowMs();
      const result = subject.gradients(...given);
      steppedMs += control.nowMs() - startMs;
      return result;
    },
  };
  const result = trainLoop(timed, options, control);
  return { ...result, weights: foldScaling(result.weights, options.spec, scaling), waitFraction: steppedMs > 0 ? waitedMs / steppedMs : 0 };
}
