import { expect } from 'chai';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { importBytes, type Imported } from '../support/importBytes.ts';
import { optionsIn } from '../support/optionsIn.ts';
import { wildLayout } from '../support/wildLayout.ts';

const LAYOUTS = Number(process.env['WILD_LAYOUTS'] ?? 100);
const FIRST = Number(process.env['WILD_FIRST'] ?? 0);
const NOW = { nowMs: Date.UTC(2026, 10, 1) };
/** Of the refused layouts that hold a series: the rest has times or numbers that no option reads, or too many ways to name them all. */
const LEAST_LED = 0.7;

/** Of those with one series. The rest shows nothing that tells, as decimal commas between commas. */
const LEAST_READ = 0.35;

const isSame = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((value, i) => value === b[i]);

describe('tables as people and programs write them', () => {
  it('are read as they were written, or refused with options of which one reads them', async () => {
    let [refused, led, read, single] = [0, 0, 0, 0];
    for (let seed = FIRST; seed < FIRST + LAYOUTS; seed++) {
      const { text, shape, series, isSingle } = wildLayout(seed);
      const isRight = ({ timesUs, prices }: Imported): boolean =>
        series.some((each) => isSame(each.timesUs, timesUs) && isSame(each.prices, prices));
      let error: unknown;
      const found = await importBytes(text, NOW).catch((thrown: unknown) => void (error = thrown));
      if (isSingle) single++;
      if (found !== undefined) {
        read++;
        expect([isSingle, isRight(found)], `${shape}\n${found.report.plan.join('\n')}`).to.deep.equal([true, true]);
        continue;
      }
      expect(error, shape).to.be.instanceOf(ServiceError);
      if (series.length === 0) continue;
      refused++;
      for (const options of optionsIn((error as ServiceError).remedy ?? '')) {
        const again = await importBytes(text, { ...NOW, ...options }).catch(() => undefined);
        if (again === undefined || !isRight(again)) continue;
        led++;
        break;
      }
    }
    expect(read / single).to.be.greaterThan(LEAST_READ);
    expect(led / refused).to.be.greaterThan(LEAST_LED);
  });
});
