import { expect } from 'chai';
import {
  parseTimestampUs,
  TIMESTAMP_MALFORMED,
  TIMESTAMP_NOT_A_TIME,
  TIMESTAMP_OFFSET_UNSUPPORTED,
  TIMESTAMP_OUT_OF_RANGE,
} from '../../../src/ticks/timestamps.ts';

const AT_SECOND_US = Date.UTC(2024, 1, 29, 9, 32, 0) * 1000;

describe('parseTimestampUs', () => {
  describe('reads every documented format', () => {
    const forms: [string, number][] = [
      ['2024-02-29 09:32:00', 0],
      ['2024-02-29 09:32:00.4', 400_000],
      ['2024-02-29 09:32:00.47', 470_000],
      ['2024-02-29 09:32:00.478', 478_000],
      ['2024-02-29 09:32:00.4781', 478_100],
      ['2024-02-29 09:32:00.478123', 478_123],
      ['2024-02-29 09:32:00.4781239', 478_123],
      ['2024-02-29 09:32:00.478123999', 478_123],
      ['2024-02-29 09:32:00.000000999', 0],
      ['2024-02-29 09:32:00:478', 478_000],
      ['2024-02-29T09:32:00', 0],
      ['2024-02-29T09:32:00.478', 478_000],
      ['2024-02-29T09:32:00Z', 0],
      ['2024-02-29T09:32:00.478Z', 478_000],
      ['2024-02-29 09:32:00:478Z', 478_000],
      ['2024-02-29 09:32:00+00:00', 0],
      ['2024-02-29T09:32:00.478123999+00:00', 478_123],
    ];
    for (const [text, fractionUs] of forms) {
      it(text, () => {
        expect(parseTimestampUs(text)).to.equal(AT_SECOND_US + fractionUs);
      });
    }
  });

  it('covers the years 1970 to 2199 to the microsecond', () => {
    expect(parseTimestampUs('1970-01-01 00:00:00')).to.equal(0);
    expect(parseTimestampUs('1970-01-01 00:00:00.000001')).to.equal(1);
    expect(parseTimestampUs('2199-12-31 23:59:59.999999')).to.equal(Date.UTC(2200, 0, 1) * 1000 - 1);
  });

  describe('returns the fault of an invalid timestamp', () => {
    const refused: [string, number][] = [
      ['', TIMESTAMP_MALFORMED],
      ['2024-02-29', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32', TIMESTAMP_MALFORMED],
      ['2024-2-29 09:32:00.1', TIMESTAMP_MALFORMED],
      ['2024/02/29 09:32:00', TIMESTAMP_MALFORMED],
      ['29-02-2024 09:32:00', TIMESTAMP_MALFORMED],
      ['2024-02-29t09:32:00', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00z', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00 Z', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00ZZ', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00.', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00.Z', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00,478', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00.1234567890', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00.478 ', TIMESTAMP_MALFORMED],
      [' 2024-02-29 09:32:00', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00x', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00+0', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00+aa:00', TIMESTAMP_MALFORMED],
      ['-024-02-29 09:32:00', TIMESTAMP_MALFORMED],
      ['٢٠٢٤-02-29 09:32:00', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00\u0000', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00.'.padEnd(5000, '1'), TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00+1:00', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00+01-00', TIMESTAMP_MALFORMED],
      ['2024-02-29 09:32:00Z+01:00', TIMESTAMP_MALFORMED],
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

  it('subtracts the offset from UTC, written as +02:00, +0200 or +02', () => {
    const atUs = parseTimestampUs('2024-03-01 01:15:00.478');
    for (const text of [
      '2024-03-01T02:15:00.478+01:00',
      '2024-02-29 20:15:00.478-05',
      '2024-03-01T06:45:00.478+0530',
      '2024-03-01 01:15:00.478-00:00',
      '2024-03-02 01:14:00.478+23:59',
    ])
      expect(parseTimestampUs(text), text).to.equal(atUs);
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
