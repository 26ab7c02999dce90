import { expect } from 'chai';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { importBytes } from '../support/importBytes.ts';
import { randomLayout } from '../support/randomLayout.ts';

const LAYOUTS = Number(process.env['RANDOM_LAYOUTS'] ?? 200);
const FIRST = Number(process.env['RANDOM_FIRST'] ?? 0);
/** Of the usual layouts with one market. The rest shows nothing that tells, as decimal commas between commas. */
const LEAST_READ = 0.8;

const isSame = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((value, i) => value === b[i]);

describe('tables in random layouts', () => {
  it('are read as they were written, or refused', async () => {
    let [read, single] = [0, 0];
    for (let seed = FIRST; seed < FIRST + LAYOUTS; seed++) {
      const { text, shape, timesUs, prices, isMixed, isHard } = randomLayout(seed);
      const isUsual = !isMixed && !isHard;
      if (isUsual) single++;
      const found = await importBytes(text, { nowMs: Date.UTC(2026, 10, 1) }).catch((error: unknown) => {
        expect(error, shape).to.be.instanceOf(ServiceError);
        return undefined;
      });
      if (found === undefined) continue;
      // Half a million numbers: compared without the assertion library unless they differ.
      const isRight = !isMixed && isSame(found.timesUs, timesUs) && isSame(found.prices, prices);
      if (!isRight) expect([isMixed, found.timesUs, found.prices], shape).to.deep.equal([false, timesUs, prices]);
      if (isUsual) read++;
    }
    expect(read / single).to.be.greaterThan(LEAST_READ);
  });
});
