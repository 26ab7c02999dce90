import { ServiceError } from '../../src/core/ServiceError.ts';
import { seededRandom, shuffle } from '../../src/core/Random.ts';
import { type LoopControl, type LoopResult, type LoopSettings, type LoopSubject, rateFactor } from './LoopTypes.ts';
import { LoopState, moveMean } from './LoopState.ts';

/** Decay of the running mean of the weights. The mean is validated and kept, because it varies less between seeds than the last step. */
const MEAN_DECAY = 0.998;
/** Weight of the newest batch in the running loss. */
const NEWEST_LOSS_WEIGHT = 0.02;
const CHECKPOINT_EVERY_MS = 10_000;
/** Approximate number of points in the curve of the training loss. */
const CURVE_POINTS = 200;

/**
 * Minimises a subject's loss: shuffled epochs, AdamW with clipping, a schedule, a running mean of the weights, validation and early stop.
 * The same subject, settings and backend give the same weights, even if the loop was stopped or killed and resumed any number of times: the
 * checkpoint contains weights, mean, best weights, moments and the random state bit for bit.
 *
 * Throws ServiceError `training.diverged` with the batch whose loss was not a number, `training.stopped` after the checkpoint was written,
 * and `file.unwritable` if it could not be written (the previous checkpoint is kept).
 */
export function trainLoop(subject: LoopSubject, settings: LoopSettings, control: LoopControl): LoopResult {
  const { index, batchSize } = subject;
  const perEpoch = Math.max(1, Math.floor(index.length / batchSize));
  const steps = perEpoch * settings.epochs;
  const state = new LoopState(subject.start, seededRandom(settings.seed));
  if (control.resume === true && control.checkpointFile !== undefined) state.read(control.checkpointFile);
  const validateEvery = Math.max(1, Math.ceil(perEpoch / settings.validations));
  let savedMs = control.nowMs();
  let ended: LoopResult['ended'] = 'all_steps';
  if (state.step === 0 && state.validation.length === 0) validate(subject, state);
  while (state.step < steps) {
    if (state.sinceBest >= settings.patience) {
      ended = 'no_better';
      break;
    }
    if (control.isOutOfTime?.() === true) {
      ended = 'out_of_time';
      break;
    }
    if (control.isStopped?.() === true) {
      state.write(control.checkpointFile);
      throw new ServiceError('training.stopped', `Stopped at step ${state.step} of ${steps}. Use --resume to continue.`);
    }
    const at = state.step % perEpoch;
    if (at === 0) state.order = shuffle(index.slice(), state.random);
    step(subject, settings, state, at, steps);
    control.onProgress?.({ step: state.step, steps, loss: state.recent });
    if (state.step % Math.max(1, Math.ceil(steps / CURVE_POINTS)) === 0) state.training.push({ step: state.step, loss: state.recent });
    if ((state.step % perEpoch) % validateEvery === 0) validate(subject, state);
    if (control.checkpointFile !== undefined && control.nowMs() - savedMs >= (control.checkpointEveryMs ?? CHECKPOINT_EVERY_MS)) {
      state.write(control.checkpointFile);
      savedMs = control.nowMs();
    }
  }
  if (state.validation.at(-1)?.step !== state.step) validate(subject, state);
  return state.result(steps, ended);
}

function step(subject: LoopSubject, settings: LoopSettings, state: LoopState, at: number, steps: number): void {
  const { loss, gradients } = subject.gradients(state.weights, state.order, at * subject.batchSize, state.random);
  if (!Number.isFinite(loss)) {
    const rows = [...state.order.subarray(at * subject.batchSize, (at + 1) * subject.batchSize)];
    const epoch = Math.floor(state.step / Math.max(1, Math.floor(subject.index.length / subject.batchSize)));
    throw new ServiceError(
      'training.diverged',
      `The loss is ${loss} at step ${state.step} (epoch ${epoch}, batch ${at}; training rows ${rows.slice(0, 8).join(', ')}${rows.length > 8 ? ', …' : ''}).`,
    );
  }
  const rate = settings.learningRate * rateFactor(settings.schedule, state.step, steps, state.cuts);
  state.optimizer.step(state.weights, gradients, rate, subject.masks, subject.anchor);
  moveMean(state.mean, state.weights, Math.min(MEAN_DECAY, (1 + state.step) / (10 + state.step)));
  state.recent = Number.isNaN(state.recent) ? loss : (1 - NEWEST_LOSS_WEIGHT) * state.recent + NEWEST_LOSS_WEIGHT * loss;
  state.step++;
}

function validate(subject: LoopSubject, state: LoopState): void {
  state.learn(subject.validationLoss(state.mean));
}
