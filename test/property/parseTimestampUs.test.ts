import { expect } from 'chai';
import * as fc from 'fast-check';
import { formatTimestamp, parseTimestampUs } from '../../src/ticks/timestamps.ts';

const FORM = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.:](\d{1,9}))?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?$/;

/** Reference implementation with a regular expression, Date.UTC and BigInt. Undefined for a text that the contract does not accept. */
function oracleUs(text: string): bigint | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  if (year < 1970 || year > 2199) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const back = [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
  if (back.some((value, i) => value !== [month, day, hour, minute, second][i])) return undefined;
  const fraction = (match[7] ?? '').padEnd(6, '0').slice(0, 6);
  const [sign, hours = 0, minutes = 0] = [match[8], ...match.slice(9).map((digits) => Number(digits ?? 0))];
  if (hours > 23 || minutes > 59) return undefined;
  const us = BigInt(date.getTime()) * 1000n + BigInt(fraction);
  const offsetUs = BigInt((sign === '-' ? -1 : 1) * (hours * 60 + minutes)) * 60_000_000n;
  return us - offsetUs >= 0n && us - offsetUs < BigInt(Date.UTC(2200, 0, 1)) * 1000n ? us - offsetUs : undefined;
}

function agrees(text: string): void {
  const us = parseTimestampUs(text);
  const expected = oracleUs(text);
  const isRight = expected === undefined ? us === -1 || us === -2 || us === -3 || us === -4 : BigInt(us) === expected;
  if (!isRight) expect.fail(`${JSON.stringify(text)}: ${us}, by the oracle ${expected}`);
}

const two = (max: number): fc.Arbitrary<string> => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
const fraction = fc.oneof(
  fc.constant(''),
  fc.tuple(fc.constantFrom('.', ':'), fc.stringMatching(/^\d{0,10}$/)).map(([mark, digits]) => mark + digits),
);
/** Texts in the right format: most are valid times, some do not exist or are out of range. */
const nearlyTimes = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1968, max: 2201 }).map(String) },
      fc.constantFrom('0000', '0001', '9999', '2000', '2100', '1900'),
    ),
    two(13),
    two(32),
    fc.constantFrom(' ', 'T'),
    two(24),
    two(60),
    two(60),
    fraction,
    fc.constantFrom('', 'Z', '+00:00', '+01:00', '-00:00', '+0000', '+00', '-0530', '+23:59', '+24:00', '-12'),
  )
  .map(([year, month, day, separator, hour, minute, second, rest, suffix]) =>
    [year, '-', month, '-', day, separator, hour, ':', minute, ':', second, rest, suffix].join(''),
  );
/** Any UTF-16 code units, including lone surrogates. (The library's own `binary` strings take seconds to set up.) */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 50 }).map((units) => String.fromCharCode(...units));
const instants = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) * 1000 - 1 });

describe('parseTimestampUs, compared with a regular expression with Date.UTC and BigInt', () => {
  it('agrees on valid times', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(' ', 'T'), fc.constantFrom('', 'Z', '+00:00'), (us, separator, suffix) => {
        const text = formatTimestamp(us, 6).replace(' ', separator) + suffix;
        expect(oracleUs(text)).to.equal(BigInt(us));
        expect(parseTimestampUs(text)).to.equal(us);
      }),
      { numRuns: 1000 },
    );
  });

  it('agrees on texts in the right format, with and without an existing date', () => {
    fc.assert(fc.property(nearlyTimes, agrees), { numRuns: 2000 });
  });

  it('never throws for a mutated text, and accepts it only if the reference does', () => {
    const character = fc.oneof(
      fc.constantFrom(...'0123456789-:.TZ+ tz,/\u0000٣'),
      fc.nat(0xffff).map((code) => String.fromCharCode(code)),
    );
    const edit = fc.tuple(fc.nat(40), fc.constantFrom('replace', 'insert', 'delete', 'cut'), character);
    const mutated = fc.tuple(nearlyTimes, fc.array(edit, { minLength: 1, maxLength: 3 })).map(([text, edits]) =>
      edits.reduce((current, [at, kind, value]) => {
        if (kind === 'cut') return current.slice(0, at);
        const tail = current.slice(at + (kind === 'insert' ? 0 : 1));
        return current.slice(0, at) + (kind === 'delete' ? '' : value) + tail;
      }, text),
    );
    fc.assert(fc.property(mutated, agrees), { numRuns: 2000 });
  });

  it('never throws for any text', () => {
    fc.assert(fc.property(anyText, agrees), { numRuns: 1000 });
  });
});

describe('formatTimestamp', () => {
  it('writes times that parseTimestampUs reads, cut to the digits', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: 0, max: 6 }), (us, digits) => {
        const unit = 10 ** (6 - digits);
        expect(parseTimestampUs(formatTimestamp(us, digits))).to.equal(Math.floor(us / unit) * unit);
      }),
    );
  });
});
