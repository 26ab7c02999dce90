import { expect } from 'chai';
import * as fc from 'fast-check';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { parseTickRequest } from '../../src/ticks/parseTickRequest.ts';

const START_US = Date.UTC(2024, 2, 1, 9, 30) * 1000;
const timestamps = Array.from({ length: 220 }, (_, i) => formatTimestamp(START_US + i * 1000));
const prices = Array.from({ length: 220 }, (_, i) => (i === 219 ? 0 : 1 + i));

const anyElement = fc.oneof(
  fc.anything({ withBigInt: false, maxDepth: 1 }).filter((value) => typeof value !== 'symbol'),
  fc.double(),
  fc.constantFrom('', '0', '2024-03-01 09:30:00.100', '2024-02-31 00:00:00', '2300-01-01 00:00:00', 1e999, -0, 0, 1e12),
);
const edits = fc.array(fc.tuple(fc.boolean(), fc.nat(219), anyElement), { maxLength: 5 });

describe('parseTickRequest, on lists with any elements', () => {
  it('returns ordered, finite ticks, or throws a 422 with pointers into the lists', () => {
    fc.assert(
      fc.property(edits, (changes) => {
        const lists: [unknown[], unknown[]] = [[...timestamps], [...prices]];
        for (const [inPrices, index, value] of changes) lists[inPrices ? 1 : 0][index] = value;
        let result;
        try {
          result = parseTickRequest(lists[0] as string[], lists[1] as number[]);
        } catch (error) {
          expect(error).to.be.instanceOf(ServiceError);
          const { code, errors } = error as ServiceError;
          expect(code).to.equal('request.invalid');
          expect(errors).to.have.length.within(1, 20);
          const touched = new Set(changes.map(([inPrices, index]) => `${inPrices ? '/Price' : '/Timestamp'}/${index}`));
          for (const { pointer } of errors) {
            expect(pointer).to.match(/^\/(Timestamp|Price)\/\d+$/);
            // A price is checked alone; a timestamp also against the one before it.
            if (pointer.startsWith('/Price')) expect(touched.has(pointer), pointer).to.equal(true);
          }
          return;
        }
        const { series, futureUs } = result;
        expect(series.timesUs).to.have.length(219);
        for (let i = 0; i < 219; i++) {
          expect(series.prices[i]).to.satisfy((price: number) => price > 0 && price < 1e12);
          expect(series.timesUs[i]).to.be.at.least(i === 0 ? 0 : series.timesUs[i - 1]);
        }
        expect(futureUs).to.be.above(series.timesUs[218]);
      }),
      { numRuns: 300 },
    );
  });
});
