import { expect } from 'chai';
import { rowsFrom, SeriesLog } from '../../../../src/service/markets/SeriesLog.ts';

const chunkOf = (first: number, ...numbers: readonly number[]) => ({ first, bytes: new Uint8Array(Float64Array.from(numbers).buffer) });

describe('SeriesLog', () => {
  it('reads the last series alone, also where the store has not dropped the one before yet', () => {
    const stored = [chunkOf(0, 1, 2), chunkOf(2, 3), chunkOf(4, 5), chunkOf(5, 6)];
    expect(rowsFrom(stored, 1, 0)).to.deep.equal({ first: 4, rows: [[5], [6]] });
    expect(rowsFrom(stored, 1, 5)).to.deep.equal({ first: 5, rows: [[6]] });
    expect(rowsFrom(stored.slice(0, 2), 1, 1)).to.deep.equal({ first: 1, rows: [[2], [3]] });
    const log = new SeriesLog('a', 1, 100);
    expect(log.load(stored)).to.deep.equal([[5], [6]]);
    log.add([7]);
    expect(log.take()).to.deep.include({ first: 6, keepFrom: 4 });
  });

  it('counts on after a gap with a number left out, and drops what was before it', () => {
    const log = new SeriesLog('a', 1, 100);
    log.add([1]);
    log.take().stored();
    log.cut();
    log.add([2]);
    expect(log.take()).to.deep.include({ first: 2, keepFrom: 2 });
  });
});
