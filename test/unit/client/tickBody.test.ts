import { expect } from 'chai';
import fc from 'fast-check';
import { buildTickBody, formatTimestamps, midPrice } from '../../../clients/typescript/src/tickBody.ts';
import { midPrice as servedMid } from '../../../src/ticks/midPrice.ts';
import { formatTimestamp, parseTimestampUs } from '../../../src/ticks/timestamps.ts';

const anyTimeUs = fc.integer({ min: 0, max: Date.UTC(2199, 11, 31) * 1000 });

describe('the body of a forecast, from ticks', () => {
  it('has the stamps that the service writes, and no digit is lost', () => {
    fc.assert(
      fc.property(fc.array(anyTimeUs, { minLength: 1 }), (timesUs) => {
        const digits = timesUs.some((us) => us % 1000 !== 0) ? 6 : 3;
        expect(formatTimestamps(timesUs)).to.deep.equal(timesUs.map((us) => formatTimestamp(us, digits)));
        expect(formatTimestamps(timesUs).map((text) => parseTimestampUs(text))).to.deep.equal(timesUs);
      }),
    );
  });

  it('takes milliseconds with a fraction to the microsecond', () => {
    const body = buildTickBody(
      [
        { timeMs: 1_704_187_920_478.123, price: 1.5 },
        { timeUs: 1_704_187_920_478_124, price: 1.6 },
      ],
      { timeMs: 1_704_187_980_000 },
    );
    expect(body).to.deep.equal({
      Timestamp: ['2024-01-02 09:32:00.478123', '2024-01-02 09:32:00.478124', '2024-01-02 09:33:00.000000'],
      Price: [1.5, 1.6, 0],
    });
  });

  it('has the mid of quotes, as the service has it', () => {
    const anyPrice = fc.double({ min: 1e-9, max: 1e12, maxExcluded: true, noNaN: true });
    fc.assert(fc.property(anyPrice, anyPrice, (bid, ask) => midPrice(bid, ask) === servedMid(bid, ask)));
    const quotes = [
      { timeMs: 1_704_187_920_000 + 1, bid: 1.1, ask: 1.3 },
      { timeMs: 1_704_187_920_000 + 2, bid: 1.0000000005, ask: 1.0000000006 },
    ];
    const future = { timeMs: 1_704_187_920_000 + 9 };
    expect(buildTickBody([...quotes, { timeMs: 1_704_187_920_000 + 3, price: 2 }], future)).to.deep.include({
      Price: [1.2, 1.000000001, 2, 0],
    });
    const { Timestamp, ...sides } = buildTickBody(quotes, future);
    expect(Timestamp).to.have.length(3);
    expect(sides).to.deep.equal({ Bid: [1.1, 1.0000000005, 0], Ask: [1.3, 1.0000000006, 0] });
  });

  it('refuses a time that is none, and says which', () => {
    expect(() => buildTickBody([{ timeUs: 1.5, price: 1 }], { timeMs: 1_704_187_920_000 + 3 })).to.throw(RangeError, '1.5');
    expect(() => buildTickBody([], { timeMs: NaN })).to.throw(RangeError, 'NaN');
    expect(() => buildTickBody([], { timeMs: -1 })).to.throw(RangeError, '-1');
  });
});
