import { expect } from 'chai';
import fc from 'fast-check';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { importBytes } from '../support/importBytes.ts';
import { type Quote, type TickFormat, TICK_FORMATS } from '../support/tickFormats.ts';

const START_US = Date.UTC(2024, 0, 12, 22, 30) * 1000;
const MINUTE_US = 60_000_000;

/** Quotes on the grid of 5 decimals, timestamps in steps of the format; bars follow each other without gaps. */
function quotesOf({ stepUs, kind }: TickFormat): fc.Arbitrary<Quote[]> {
  const isBars = kind === 'bars';
  const quote = fc.record({
    steps: isBars ? fc.constant(1) : fc.integer({ min: 0, max: 50_000 }),
    points: fc.integer({ min: 100_000, max: 120_000 }),
    spread: fc.integer({ min: 1, max: 9 }),
  });
  return fc.array(quote, { minLength: 3, maxLength: 60 }).map((all) => {
    let us = START_US;
    return all.map(({ steps, points, spread }) => {
      us += steps * (isBars ? MINUTE_US : stepUs);
      return { us, bid: points / 1e5, ask: (points + spread) / 1e5 };
    });
  });
}

describe('importTicks', () => {
  for (const spelling of TICK_FORMATS) {
    it(`reads back every tick from ${spelling.name}, in chunks of any size`, async () => {
      await fc.assert(
        fc.asyncProperty(quotesOf(spelling), fc.integer({ min: 1, max: 300 }), async (quotes, chunkBytes) => {
          const { report, timesUs, prices, bids, asks } = await importBytes(spelling.write(quotes), {}, chunkBytes);
          expect(report).to.include({ format: spelling.format, kind: spelling.kind, ticks: quotes.length });
          expect(timesUs).to.deep.equal(quotes.map(({ us }) => us));
          const isQuotes = spelling.kind === 'quotes';
          expect(prices).to.deep.equal(quotes.map(({ bid, ask }) => (isQuotes ? Math.round(((bid + ask) / 2) * 1e9) / 1e9 : bid)));
          if (isQuotes) expect([bids, asks]).to.deep.equal([quotes.map(({ bid }) => bid), quotes.map(({ ask }) => ask)]);
        }),
        { numRuns: 15 },
      );
    });
  }

  it('returns a report or throws a ServiceError for random bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(...PREFIXES), async (bytes, prefix) => {
        await importOrRefuse(new Uint8Array([...prefix, ...bytes]));
      }),
      { numRuns: 400 },
    );
  });

  it('returns a report or throws a ServiceError for files with broken bytes', async () => {
    const quotes = Array.from({ length: 40 }, (_, i) => ({ us: START_US + i * MINUTE_US, bid: 1.1 + i / 1e4, ask: 1.1001 + i / 1e4 }));
    const files = TICK_FORMATS.map((spelling) => spelling.write(quotes));
    const broken = fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), broken, fc.double({ min: 0.2, max: 1, noNaN: true }), async (file, changes, fraction) => {
        const bytes = file.slice(0, Math.ceil(file.length * fraction));
        for (const [where, byte] of changes) bytes[Math.floor(where * bytes.length)] = byte;
        await importOrRefuse(bytes);
      }),
      { numRuns: 300 },
    );
  });
});

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const PREFIXES = [
  text(''),
  text('timestamp,price\n'),
  text('['),
  text('{"a":'),
  text('PAR1'),
  new Uint8Array([0x1f, 0x8b, 8]),
  text('PK\x03\x04'),
  new Uint8Array([0xff, 0xfe]),
];

async function importOrRefuse(bytes: Uint8Array): Promise<void> {
  for (const dropsMalformed of [false, true])
    try {
      await importBytes(bytes, { dropsMalformed }, 97);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      expect(error.code).to.equal('file.malformed');
      expect([error.message, error.remedy].join('\n')).to.match(/^test-file.*\.\n.*\.$/s);
    }
}
