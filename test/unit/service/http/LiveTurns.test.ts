import { expect } from 'chai';
import { LiveTurns } from '../../../../src/service/http/live/LiveTurns.ts';

const KIB = 1024;

describe('LiveTurns', () => {
  it('handles a bounded number of bytes in an iteration, and the rest in order of arrival', async () => {
    const turns = new LiveTurns();
    let iteration = 0;
    const next = (): unknown => ++iteration < 20 && setImmediate(next);
    setImmediate(next);
    const sizes = [100, 100, 100, 300, 1, 1, 200].map((kib) => kib * KIB);
    const at: number[] = [];
    await Promise.all(
      sizes.map(async (bytes, i) => {
        const turn = turns.take(bytes);
        if (turn !== undefined) await turn;
        at[i] = iteration;
      }),
    );
    // 300 KiB alone; what comes after it does not overtake it, however small.
    const first = at[2]!;
    expect(at).to.deep.equal([0, 0, first, first + 1, first + 2, first + 2, first + 2]);
    expect(turns.take(1), 'an idle worker').to.equal(undefined);
  });
});
