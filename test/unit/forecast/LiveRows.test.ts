import { expect } from 'chai';
import { LiveRows } from '../../../src/forecast/LiveRows.ts';
import type { NetworkOutput } from '../../../src/model/NetworkSpec.ts';

const row = { sequence: new Float32Array(1), context: new Float32Array(1), baseline: 0, head: 0 };

describe('LiveRows', () => {
  it('is idle when no row is queued or runs, and says so before the last answer is out', async () => {
    const ends: (() => void)[] = [];
    const pending = <T>(value: T): Promise<T> => new Promise((resolve) => ends.push(() => resolve(value)));
    const live = new LiveRows({
      infer: () => pending<NetworkOutput>({ head: 0, baselineLogit: 0, residualLogit: 0, directionLogit: 0 }),
      close: () => Promise.resolve(),
    });
    const seen: string[] = [];
    live.whenIdle(() => seen.push('idle'));
    const first = live.infer('one', row);
    const second = live.infer('one', row).then(() => seen.push('answer'));
    expect(live.isIdle).to.equal(false);
    ends[0]?.();
    await first;
    expect([live.isIdle, seen]).to.deep.equal([false, []]);
    ends[1]?.();
    await second;
    expect([live.isIdle, seen]).to.deep.equal([true, ['idle', 'answer']]);
  });
});
