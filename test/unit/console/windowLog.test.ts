import { expect } from 'chai';
import type { ReplayedWindow } from '../../../src/console/replay/ReplayedWindow.ts';
import { WindowLog } from '../../../src/console/replay/WindowLog.ts';

const windowAt = (seconds: number, outcome: ReplayedWindow['outcome'] = true): ReplayedWindow => ({
  ...{ origin: 0, timeUs: seconds * 1e6, isMarked: true, reasons: [], probability: 0.5, baselineProbability: 0.25, decision: 0.4 },
  ...{ minMoveBps: 2, moveBps: 3, isSeen: false, outcome },
});

describe('WindowLog', () => {
  it('counts no stretch of time twice, the same window once, and only known outcomes, in the order of time', () => {
    const log = new WindowLog();
    for (const window of [windowAt(11), windowAt(0), windowAt(10.9), windowAt(0), windowAt(22, 'trained_on')]) log.add('q', 10_000, window);
    expect(log.windows.map(({ timeUs }) => timeUs / 1e6)).to.deep.equal([0, 11]);
  });

  it('starts again with another question', () => {
    const log = new WindowLog();
    log.add('q', 10_000, windowAt(0));
    log.turnTo('other');
    expect(log.windows).to.have.length(0);
  });
});
