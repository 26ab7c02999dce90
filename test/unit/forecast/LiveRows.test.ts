import { expect } from 'chai';
import { LiveRows } from '../../../src/forecast/LiveRows.ts';
import type { NetworkOutput } from '../../../src/model/NetworkSpec.ts';

const row = { sequence: new Float32Array(1), context: new Float32Array(1), baseline: 0, head: 0 };
const parcel = { byteLength: 0, write: () => {} };

describe('LiveRows', () => {
  it('is idle when no row and no parcel waits or runs, and says so before the last answer is out', async () => {
    const ends: (() => void)[] = [];
    const pending = <T>(value: T): Promise<T> => new Promise((resolve) => ends.push(() => resolve(value)));
    const live = new LiveRows({
      infer: () => pending<NetworkOutput>({ head: 0, baselineLogit: 0, residualLogit: 0, directionLogit: 0 }),
      program: { hand: () => pending(Buffer.from('answer')), inHand: 7 },
      close: () => Promise.resolve(),
    });
    const seen: string[] = [];
    live.whenIdle(() => seen.push('idle'));
    const first = live.infer('one', row);
    const second = live.program!.hand('one', parcel).then((answer) => seen.push(answer.toString()));
    expect([live.isIdle, live.program?.inHand]).to.deep.equal([false, 7]);
    ends[0]?.();
    await first;
    expect([live.isIdle, seen]).to.deep.equal([false, []]);
    ends[1]?.();
    await second;
    expect([live.isIdle, seen]).to.deep.equal([true, ['idle', 'answer']]);
  });

  it('has no program where the host has none', () => {
    const host = { infer: () => Promise.reject(new Error('none')), close: () => Promise.resolve() };
    expect(new LiveRows(host).program).to.equal(undefined);
  });
});
