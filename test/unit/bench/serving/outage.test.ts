import { expect } from 'chai';
import { outageOf } from '../../../../bench/serving/outage.ts';
import type { Outcomes } from '../../../../bench/serving/Outcomes.ts';

const KILL_MS = 2000;
const END_MS = 8000;

/** One request every 5 ms that takes 2 ms; `statusAt` gives the status of the one due at that time; undefined: it is not sent. */
function load(statusAt: (dueMs: number) => number | undefined): Outcomes {
  const made = Array.from({ length: END_MS / 5 }, (_, i) => ({ dueMs: i * 5, status: statusAt(i * 5) })).filter(
    ({ status }) => status !== undefined,
  );
  return {
    dueMs: Float64Array.from(made, ({ dueMs }) => dueMs),
    latencyMs: Float64Array.from(made, ({ status }) => (status === 0 ? NaN : 2)),
    status: Uint16Array.from(made, ({ status }) => status!),
  };
}

describe('outageOf', () => {
  it('measures the time without answers, the failed requests, and when the rate is back', () => {
    const outcomes = load((dueMs) => {
      if (dueMs < KILL_MS || dueMs >= 3100) return 200;
      return dueMs < KILL_MS + 20 ? 0 : 503;
    });
    const { downMs, failed, backMs, endRatio, rate } = outageOf(outcomes, KILL_MS, END_MS);
    expect(downMs).to.equal(1100);
    expect(failed).to.deep.equal(
      new Map([
        [0, 4],
        [503, 216],
      ]),
    );
    // The bin from 1000 ms on has 150 ms of answers.
    expect(backMs).to.equal(1250);
    expect([rate, endRatio]).to.deep.equal([200, 1]);
  });

  it('has no end if half of the rate stays lost, and does not count as down', () => {
    const { downMs, failed, backMs, endRatio } = outageOf(
      load((dueMs) => (dueMs < KILL_MS || dueMs % 10 === 0 ? 200 : undefined)),
      KILL_MS,
      END_MS,
    );
    expect([downMs, backMs, endRatio]).to.deep.equal([0, Infinity, 0.5]);
    expect(failed.size).to.equal(0);
  });

  it('lasts to the end if no request is answered any more', () => {
    const { downMs, backMs, endRatio } = outageOf(
      load((dueMs) => (dueMs < KILL_MS ? 200 : 0)),
      KILL_MS,
      END_MS,
    );
    expect([downMs, backMs, endRatio]).to.deep.equal([END_MS - KILL_MS, Infinity, 0]);
  });

  it('counts as down despite a rare 200 among the failures', () => {
    const { downMs } = outageOf(
      load((dueMs) => (dueMs < KILL_MS || dueMs >= 3000 || dueMs === 2500 ? 200 : 503)),
      KILL_MS,
      END_MS,
    );
    expect(downMs).to.equal(1000);
  });

  it('does not end with a single good bin', () => {
    const { backMs } = outageOf(
      load((dueMs) => (dueMs < KILL_MS || dueMs >= 4000 || (dueMs >= 2500 && dueMs < 2750) ? 200 : 503)),
      KILL_MS,
      END_MS,
    );
    expect(backMs).to.equal(2000);
  });

  it('is empty if the rate does not change', () => {
    const { downMs, backMs } = outageOf(
      load(() => 200),
      KILL_MS,
      END_MS,
    );
    expect([downMs, backMs]).to.deep.equal([0, 0]);
  });
});
