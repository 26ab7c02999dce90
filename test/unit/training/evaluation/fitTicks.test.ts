import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { CONTEXT_AT, CONTEXT_COLUMNS } from '../../../../src/engine/features/columns.ts';
import { allocateRows, type RowSet } from '../../../../training/data/RowSet.ts';
import { TEST_LENGTHS } from '../../../../training/data/planRows.ts';
import { fitTicks } from '../../../../training/evaluation/fitTicks.ts';

const ROWS = 100;

/** 100 rows of each instrument and length in the first head; `skill` of a length shifts the probabilities of its opportunities. */
function scored(instruments: number, skill: readonly number[]): { rows: RowSet; candidate: Float64Array; row: Int32Array } {
  const random = seededRandom(7);
  const count = instruments * TEST_LENGTHS.length * ROWS;
  const rows = allocateRows(count, 1);
  const candidate = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const length = at % TEST_LENGTHS.length;
    const isPositive = random.uniform() < 0.3;
    rows.instrument[at] = Math.floor(at / (TEST_LENGTHS.length * ROWS));
    rows.theta[at] = 1;
    rows.move[at] = isPositive ? 2 : 0;
    rows.context[at * CONTEXT_COLUMNS + CONTEXT_AT.log_ticks] = Math.log(TEST_LENGTHS[length] / 500);
    candidate[at] = random.uniform() + (isPositive ? skill[length] : 0);
  }
  return { rows, candidate, row: Int32Array.from({ length: count }, (_, at) => at) };
}

const ticksOf = (instruments: number, skill: readonly number[]) => {
  const { rows, ...scores } = scored(instruments, skill);
  return fitTicks(rows, scores);
};

describe('the number of ticks that suits a head', () => {
  it('is the longest one where each length has a higher AUC than the one before', () => {
    expect(ticksOf(8, [0.1, 0.2, 0.3, 0.4])[0]).to.equal(3000);
  });

  it('is the shortest one that loses next to nothing against longer ones', () => {
    expect(ticksOf(8, [0.1, 2, 2, 2])[0]).to.equal(500);
    expect(ticksOf(8, [2, 0.1, 2, 2])[0]).to.equal(1000);
  });

  it('is that of the head before where too few instruments have enough origins', () => {
    expect(ticksOf(8, [0.1, 2, 2, 2])).to.deep.equal([500, 500, 500, 500]);
    expect(ticksOf(4, [0.1, 2, 2, 2])).to.deep.equal([undefined, undefined, undefined, undefined]);
  });
});
