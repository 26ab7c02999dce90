import fs, { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as path from 'node:path';
import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { WEIGHT_NAMES, type WeightArrays } from '../../../../src/engine/model/NetworkWeights.ts';
import { readCheckpoint, writeCheckpoint } from '../../../../training/loop/Checkpoint.ts';
import { type LoopControl, type LoopSettings, type LoopSubject, rateFactor } from '../../../../training/loop/LoopTypes.ts';
import { trainLoop } from '../../../../training/loop/trainLoop.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

const SETTINGS: LoopSettings = { epochs: 6, learningRate: 0.05, schedule: 'cosine', patience: 100, validations: 2, seed: 4 };
const quiet: LoopControl = { nowMs: () => 0 };

/** Weights of one value each; the loss moves them from 0 to 3 with a gradient that varies with the random stream and the row. */
function subject(given: Partial<LoopSubject> = {}): LoopSubject {
  const start = Object.fromEntries(WEIGHT_NAMES.map((name) => [name, Float32Array.of(0)])) as unknown as WeightArrays;
  return {
    start,
    index: Int32Array.from({ length: 40 }, (_, row) => row),
    batchSize: 8,
    masks: {},
    gradients: (weights, order, from, random) => {
      const row = order[from];
      const wobble = 0.2 * (random.uniform() - 0.5) + 0.001 * row;
      const gradients = Object.fromEntries(WEIGHT_NAMES.map((name) => [name, Float32Array.of(weights[name][0] - 3 + wobble)]));
      return { loss: (weights['trunk/bias'][0] - 3) ** 2, gradients };
    },
    validationLoss: (weights) => Math.abs(weights['trunk/bias'][0] - 3),
    ...given,
  };
}

describe('trainLoop', () => {
  let folder: string;
  beforeEach(() => (folder = temporaryFolder()));

  it('gives the same weights, bit for bit, after a stop at any step and a resume', () => {
    const whole = trainLoop(subject(), SETTINGS, quiet);
    for (const stopAt of [1, 5, 7, 10, 29]) {
      const checkpointFile = path.join(folder, `${stopAt}.checkpoint`);
      let asked = 0;
      const stopping = { ...quiet, checkpointFile, isStopped: () => ++asked > stopAt };
      expect(() => trainLoop(subject(), SETTINGS, stopping))
        .to.throw(`Stopped at step ${stopAt} of 30. Use --resume to continue.`)
        .with.property('code', 'training.stopped');
      const resumed = trainLoop(subject(), SETTINGS, { ...quiet, checkpointFile, resume: true });
      expect(resumed).to.deep.equal(whole);
    }
  });

  it('gives the same weights after it was killed between two checkpoints', () => {
    const whole = trainLoop(subject(), SETTINGS, quiet);
    const checkpointFile = path.join(folder, 'killed.checkpoint');
    let now = 0;
    let steps = 0;
    const dying = subject({
      gradients: (...given) => {
        if (++steps === 18) throw new Error('killed');
        return subject().gradients(...given);
      },
    });
    // A checkpoint about every fourth step; the steps after the last one are lost and repeated.
    expect(() => trainLoop(dying, SETTINGS, { checkpointFile, checkpointEveryMs: 4, nowMs: () => now++ })).to.throw('killed');
    expect(readCheckpoint<{ step: number }>(checkpointFile)!.step).to.be.within(10, 17);
    expect(trainLoop(subject(), SETTINGS, { ...quiet, checkpointFile, resume: true })).to.deep.equal(whole);
  });

  it('keeps the weights of the best validation and ends after enough validations without a better one', () => {
    const losses = [5, 4, 3, 6, 7, 8, 9];
    let at = 0;
    const { bestStep, bestLoss, validation, ended } = trainLoop(
      subject({ validationLoss: () => losses[Math.min(at++, losses.length - 1)] }),
      { ...SETTINGS, patience: 3, validations: 1 },
      quiet,
    );
    expect({ bestStep, bestLoss, ended }).to.deep.equal({ bestStep: 10, bestLoss: 3, ended: 'no_better' });
    expect(validation.map(({ step }) => step)).to.deep.equal([0, 5, 10, 15, 20, 25]);
  });

  it('returns the initial weights if training improves nothing', () => {
    let calls = 0;
    const worse = subject({ validationLoss: () => calls++ });
    const { weights, bestStep } = trainLoop(worse, SETTINGS, quiet);
    expect(bestStep).to.equal(0);
    expect(weights).to.deep.equal(worse.start);
  });

  it('ends with the best weights so far at the time limit', () => {
    let asked = 0;
    const { ended, training, bestStep } = trainLoop(subject(), SETTINGS, { ...quiet, isOutOfTime: () => ++asked > 12 });
    expect(ended).to.equal('out_of_time');
    expect(training.at(-1)!.step).to.equal(12);
    expect(bestStep).to.equal(12);
  });

  it('names the step, the batch and its rows if the loss is not a number, and keeps the previous checkpoint', () => {
    const checkpointFile = path.join(folder, 'nan.checkpoint');
    let steps = 0;
    const broken = subject({
      gradients: (...given) => ({ ...subject().gradients(...given), ...(++steps === 12 ? { loss: NaN } : {}) }),
    });
    let now = 0;
    expect(() => trainLoop(broken, SETTINGS, { checkpointFile, checkpointEveryMs: 1, nowMs: () => (now += 2) }))
      .to.throw(/^The loss is NaN at step 11 \(epoch 2, batch 1; training rows \d+(, \d+){7}\)\.$/)
      .with.property('code', 'training.diverged');
    expect(readCheckpoint<{ step: number }>(checkpointFile)!.step).to.equal(11);
  });

  it('reports that the checkpoint cannot be written, and keeps the previous one', () => {
    const checkpointFile = path.join(folder, 'taken', 'x.checkpoint');
    writeFileSync(path.join(folder, 'taken'), 'a file where a folder should be');
    let now = 0;
    expect(() => trainLoop(subject(), SETTINGS, { checkpointFile, checkpointEveryMs: 1, nowMs: () => (now += 2) }))
      .to.throw(/x\.checkpoint cannot be written/)
      .with.property('code', 'file.unwritable');
  });

  it('reports a full disk, keeps the previous checkpoint and resumes from it to the same weights', () => {
    const whole = trainLoop(subject(), SETTINGS, quiet);
    const { writeSync } = fs;
    // One write per part: magic, hash, content.
    const parts = 3;
    for (const failing of [parts + 1, 2 * parts, 3 * parts - 1]) {
      const checkpointFile = path.join(folder, `full-${failing}.checkpoint`);
      let [now, writes] = [0, 0];
      fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
        if (++writes === failing) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
        return writeSync(...args);
      }) as typeof writeSync;
      syncBuiltinESMExports();
      try {
        expect(() => trainLoop(subject(), SETTINGS, { checkpointFile, checkpointEveryMs: 1, nowMs: () => (now += 2) }))
          .to.throw(`${checkpointFile} cannot be written: ENOSPC: no space left on device`)
          .with.property('code', 'file.unwritable');
      } finally {
        fs.writeSync = writeSync;
        syncBuiltinESMExports();
      }
      expect(readdirSync(folder).filter((name) => name.includes(`full-${failing}`))).to.deep.equal([path.basename(checkpointFile)]);
      expect(readCheckpoint<{ step: number }>(checkpointFile)!.step).to.equal(Math.ceil(failing / parts) - 1);
      expect(trainLoop(subject(), SETTINGS, { ...quiet, checkpointFile, resume: true })).to.deep.equal(whole);
    }
  });
});

describe('a checkpoint', () => {
  let file: string;
  beforeEach(() => (file = path.join(temporaryFolder(), 'a.checkpoint')));
  afterEach(() => rmSync(path.dirname(file), { recursive: true, force: true }));

  it('is read as it was written, bit for bit', () => {
    const floats = Float32Array.of(0.1, -0, NaN, Infinity, 1e-45);
    const value = { loss: 0.1 + 0.2, recent: NaN, text: 'µ', whole: Int32Array.of(2 ** 31 - 1, -1), none: new Float32Array(0) };
    writeCheckpoint(file, { ...value, floats });
    const { floats: read, ...rest } = readCheckpoint<typeof value & { floats: Float32Array }>(file)!;
    expect(rest).to.deep.equal(value);
    expect(Buffer.from(read.buffer, read.byteOffset, read.byteLength)).to.deep.equal(Buffer.from(floats.buffer));
  });

  it('is rejected if it is truncated, changed or not a checkpoint', () => {
    expect(readCheckpoint(file)).to.equal(undefined);
    writeCheckpoint(file, { values: new Float32Array(100) });
    const bytes = readFileSync(file);
    for (const damaged of [
      bytes.subarray(0, bytes.length - 1),
      Buffer.from(bytes).fill(1, 60, 61),
      Buffer.alloc(0),
      Buffer.from('hello'),
    ]) {
      writeFileSync(file, damaged);
      expect(() => readCheckpoint(file), String(damaged.length))
        .to.throw(ServiceError)
        .that.includes({ code: 'file.malformed', remedy: 'Delete it to start again.' });
    }
    truncateSync(file);
  });
});

describe('rateFactor', () => {
  it('rises to the peak and falls along a cosine', () => {
    const shares = Array.from({ length: 400 }, (_, step) => rateFactor('cosine', step, 400, 0));
    expect(shares[0]).to.be.closeTo(1 / 60, 1e-3);
    expect(Math.max(...shares)).to.be.within(0.94, 1);
    expect(shares[399]).to.be.closeTo(0.02, 1e-3);
  });

  it('falls by half after each validation without improvement, for a plateau', () => {
    expect([0, 1, 3].map((cuts) => rateFactor('plateau', 300, 400, cuts))).to.deep.equal([1, 0.5, 0.125]);
  });
});
