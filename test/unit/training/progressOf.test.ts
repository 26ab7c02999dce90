import { expect } from 'chai';
import { progressOf } from '../../../training/estimateRun.ts';
import type { TrainEvent } from '../../../training/TrainOptions.ts';

type Training = Extract<TrainEvent, { kind: 'training' }>;

describe('progressOf', () => {
  function rig() {
    let now = 0;
    const events: Training[] = [];
    const report = progressOf(
      100,
      (event) => event.kind === 'training' && events.push(event),
      () => now,
    );
    const step = (name: string, at: number, atMs: number): Training => {
      now = atMs;
      report({ kind: 'progress', name, at: { step: at, steps: 1000, loss: 0.5 } });
      return events.at(-1)!;
    };
    return { report, step };
  }

  it('reports the total rate of all threads, even if their messages come in bursts', () => {
    const { report, step } = rig();
    report({ kind: 'jobs', count: 4 });
    let last = step('a', 0, 0);
    // Two threads with 20 steps per second each, which report 10 steps at once, a millisecond apart.
    for (let i = 0; i <= 100; i++) {
      step('a', 10 * i, 500 * i);
      last = step('b', 10 * i, 500 * i + 1);
    }
    expect(last.rowsPerS).to.be.closeTo(4000, 100);
    expect(last).to.include({ jobs: 4, jobsDone: 2, share: 0.5 });
    expect(last.etaS).to.be.closeTo(50, 2);
  });

  it('counts the steps of an earlier run as done, but not in the rate', () => {
    const { report, step } = rig();
    report({ kind: 'jobs', count: 3 });
    report({ kind: 'ended', name: 'a', steps: 1000 });
    step('b', 510, 0);
    const { rowsPerS, share, jobsDone } = step('b', 520, 1000);
    expect(rowsPerS).to.be.closeTo(1000, 1);
    expect(share).to.be.closeTo(1520 / 3000, 1e-9);
    expect(jobsDone).to.equal(1);
  });

  it('counts what jobs do between their steps', () => {
    const { report, step } = rig();
    report({ kind: 'jobs', count: 2 });
    for (let i = 0; i <= 100; i++) step('a', 10 * i, 500 * i);
    // 50 s of steps, then 60 s without any.
    step('b', 0, 110_000);
    const { etaS, rowsPerS } = step('b', 500, 135_000);
    expect(etaS).to.be.closeTo((135 / 1500) * 500, 1);
    expect(rowsPerS).to.be.closeTo((100 * 1500) / 135, 1);
  });

  it('counts a job that ended early as done', () => {
    const { report, step } = rig();
    report({ kind: 'jobs', count: 2 });
    step('a', 400, 0);
    report({ kind: 'ended', name: 'a', steps: 400 });
    expect(step('b', 200, 1000)).to.include({ jobsDone: 1, share: 600 / 1400 });
  });
});
