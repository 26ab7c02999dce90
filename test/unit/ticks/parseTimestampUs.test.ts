import { expect } from 'chai';
import {
  formatTimestamp,
  parseTimestampUs,
  TIMESTAMP_MALFORMED,
  TIMESTAMP_NOT_A_TIME,
  TIMESTAMP_OFFSET_UNSUPPORTED,
  TIMESTAMP_OUT_OF_RANGE,
} from '../../../src/ticks/timestamps.ts';

/** What is read and what is refused is compared with another implementation in test/property. */
describe('parseTimestampUs', () => {
  it('covers the years 1970 to 2199 to the microsecond', () => {
    expect(parseTimestampUs('1970-01-01 00:00:00')).to.equal(0);
    expect(parseTimestampUs('1970-01-01 00:00:00.000001')).to.equal(1);
    expect(parseTimestampUs('2199-12-31 23:59:59.999999')).to.equal(Date.UTC(2200, 0, 1) * 1000 - 1);
  });

  describe('returns the fault of an invalid timestamp', () => {
    const refused: [string, number][] = [
      ['', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00 Z', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00.', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00,478', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00.1234567890', TIMESTAMP_MALFORMED],
      ['٢٠٢٤-02-29 09:32:00', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00.'.padEnd(5000, '1'), TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00+24:00', TIMESTAMP_OFFSET_UNSUPPORTED],
      ['2024-02-29 09:32:00.478-05:60', TIMESTAMP_OFFSET_UNSUPPORTED],
      ['2024-02-29 09:32:00+9900', TIMESTAMP_OFFSET_UNSUPPORTED],
      ['1970-01-01 00:59:59+01:00', TIMESTAMP_OUT_OF_RANGE],
      ['2199-12-31 23:30:00-00:30', TIMESTAMP_OUT_OF_RANGE],
      ['0001-01-01 00:00:00', TIMESTAMP_OUT_OF_RANGE],
      ['1969-12-31 23:59:59.999999', TIMESTAMP_OUT_OF_RANGE],
      ['2200-01-01 00:00:00', TIMESTAMP_OUT_OF_RANGE],
      ['9999-12-31 23:59:59', TIMESTAMP_OUT_OF_RANGE],
      ['2024-02-31 09:32:00', TIMESTAMP_NOT_A_TIME],
      ['2023-02-29 09:32:00', TIMESTAMP_NOT_A_TIME],
      ['2100-02-29 00:00:00', TIMESTAMP_NOT_A_TIME],
      ['2024-04-31 09:32:00', TIMESTAMP_NOT_A_TIME],
      ['2024-00-10 09:32:00', TIMESTAMP_NOT_A_TIME],
      ['2024-13-10 09:32:00', TIMESTAMP_NOT_A_TIME],
      ['2024-01-00 09:32:00', TIMESTAMP_NOT_A_TIME],
      ['2024-01-32 09:32:00', TIMESTAMP_NOT_A_TIME],
      ['2024-01-01 24:00:00', TIMESTAMP_NOT_A_TIME],
      ['2024-01-01 09:60:00', TIMESTAMP_NOT_A_TIME],
      ['2016-12-31 23:59:60', TIMESTAMP_NOT_A_TIME],
    ];
    for (const [text, fault] of refused) {
      it(JSON.stringify(text.slice(0, 40)), () => {
        expect(parseTimestampUs(text)).to.equal(fault);
      });
    }
  });

  it('accepts every day of 1970 to 2199, one day after another', () => {
    const two = (value: number): string => String(value).padStart(2, '0');
    for (let ms = 0; ms < Date.UTC(2200, 0, 1); ms += 86_400_000) {
      const date = new Date(ms);
      const text = `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())} 00:00:00`;
      if (parseTimestampUs(text) !== ms * 1000) expect.fail(`${text}: ${parseTimestampUs(text)} is not ${ms * 1000}`);
    }
  });

  it('reads the hours that daylight saving time skips or repeats exactly once', () => {
    const hourUs = 3_600_000_000;
    const spring = parseTimestampUs('2024-03-10 02:30:00');
    expect(parseTimestampUs('2024-03-10 03:30:00') - spring).to.equal(hourUs);
    const autumn = parseTimestampUs('2024-11-03 01:30:00');
    expect(parseTimestampUs('2024-11-03 02:30:00') - autumn).to.equal(hourUs);
  });
});

describe('formatTimestamp', () => {
  it('writes milliseconds, cut and not rounded, and refuses what is no time or no number of digits', () => {
    expect(formatTimestamp(Date.UTC(2024, 1, 29, 9, 5, 3, 478) * 1000 + 999)).to.equal('2024-02-29 09:05:03.478');
    for (const bad of [-1, 0.5, NaN, Infinity, Date.UTC(2200, 0, 1) * 1000]) expect(() => formatTimestamp(bad)).to.throw(RangeError);
    for (const digits of [-1, 7, 1.5]) expect(() => formatTimestamp(0, digits)).to.throw(RangeError);
  });
});
