import { expect } from 'chai';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';
import { scanTickBody } from '../../../src/ticks/scanTickBody.ts';

const START_US = Date.UTC(2024, 1, 28, 23, 58) * 1000;
/** 200 timestamps, one per second across midnight; two are equal. */
const stamps = Array.from({ length: 200 }, (_, i) => formatTimestamp(START_US + (i === 1 ? 0 : i) * 1_000_000));
const prices = Array.from({ length: 200 }, (_, i) => (i === 199 ? 0 : 100 + i / 8));
const body = JSON.stringify({ Timestamp: stamps, Price: prices });
const epochBody = (of: (us: number, i: number) => number): string =>
  JSON.stringify({ Timestamp: stamps.map((_, i) => of(START_US + (i === 1 ? 0 : i) * 1_000_000, i)), Price: prices });
const scan = (text: string) => scanTickBody(Buffer.from(text));

describe('scanTickBody', () => {
  it('returns times, prices and the offsets of the distinct timestamps', () => {
    const scanned = scan(body)!;
    expect([...scanned.series.timesUs]).to.deep.equal(stamps.slice(0, 199).map((_, i) => START_US + (i === 1 ? 0 : i) * 1_000_000));
    expect([...scanned.series.prices]).to.deep.equal(prices.slice(0, 199));
    expect(scanned.futureUs).to.equal(START_US + 199_000_000);
    const { bytes, spans } = scanned.stamps;
    const found = Array.from({ length: spans.length / 2 }, (_, i) =>
      Buffer.from(bytes.subarray(spans[2 * i], spans[2 * i + 1])).toString(),
    );
    expect(found).to.deep.equal([...new Set(stamps)]);
  });

  it('does not mix the ticks of two bodies', () => {
    const first = scan(body)!;
    const kept = [...first.series.prices];
    scan(body.replaceAll('10', '20'));
    expect([...first.series.prices]).to.deep.equal(kept);
  });

  const plain: Record<string, (text: string) => string> = {
    'white space between all parts': (text) =>
      text.replaceAll(',', ' ,\n\t').replaceAll(':[', ' :\r[ ').replace('{', ' { ').replace('}', ' } '),
    'nine digits of fraction': (text) => text.replaceAll('.000"', '.000000000"'),
    'a timestamp of another format': (text) => text.replace(stamps[50], stamps[50].replace(' ', 'T')),
    'a timestamp of another length': (text) => text.replace(stamps[50], stamps[50].slice(0, -1)),
    'a fraction that ends early': (text) => text.replace(stamps[50], `${stamps[50].slice(0, -1)}Z`),
    'another separator before the fraction': (text) => text.replace(stamps[50], stamps[50].replace('.', ':')),
    'a first timestamp without the fraction of the others': (text) => text.replace('.000"', '"').replace('.000"', '"'),
    'lists in the other order': () => JSON.stringify({ Price: prices, Timestamp: stamps }),
    'a T, no fraction and a Z': (text) => text.replaceAll(/ (\d\d:\d\d:\d\d)\.000"/g, 'T$1Z"'),
    'a colon before six digits': (text) => text.replaceAll(/\.000"/g, ':000000+00:00"'),
    'seventeen digits': (text) => text.replace('[100,', '[100.00000000000001,'),
    exponents: (text) => text.replace('[100,', '[1.00e2,').replace(',0]', ',0E-5]'),
    'epoch milliseconds': () => epochBody((us) => us / 1000),
    'epoch microseconds': () => epochBody((us) => us),
    'bid and ask in any order': () => JSON.stringify({ Ask: prices, Timestamp: stamps, Bid: prices }),
    'fifteen digits': (text) => text.replace('[100,', '[100.000000000001,'),
  };
  for (const [what, change] of Object.entries(plain)) {
    it(`accepts ${what}`, () => {
      expect(change(body)).to.not.equal(body);
      expect(scan(change(body))?.series.timesUs).to.have.lengthOf(199);
    });
  }

  const left: Record<string, (text: string) => string> = {
    'a price of 1e12': (text) => text.replace('[100,', '[1000000000000,'),
    'a leading zero': (text) => text.replace('[100,', '[0100,'),
    'a point without digits': (text) => text.replace('[100,', '[100.,'),
    'a point first': (text) => text.replace('[100,', '[.5,'),
    'an exponent without digits': (text) => text.replace('[100,', '[1e,'),
    'a number among texts': (text) => text.replace(`"${stamps[50]}"`, String(START_US / 1000)),
    'epoch numbers of two units': () => epochBody((us, i) => (i < 100 ? us / 1000 : us)),
    'epoch seconds': () => epochBody((us) => us / 1e6),
    'epoch numbers with a fraction': () => epochBody((us) => us / 1000).replace(/,/, '.0,'),
    'an epoch number with a leading zero': () => epochBody((us) => us / 1000).replace('[1', '[0'),
    'a bid without asks': (text) => text.replace('"Price"', '"Bid"'),
    'prices and quotes': () => JSON.stringify({ Timestamp: stamps, Price: prices, Bid: prices, Ask: prices }),
    'an ask of 0 before the last': () => JSON.stringify({ Timestamp: stamps, Bid: prices, Ask: prices.with(3, 0) }),
    'a last ask that is not 0': () => JSON.stringify({ Timestamp: stamps, Bid: prices, Ask: prices.with(199, 1) }),
    'one ask less': () => JSON.stringify({ Timestamp: stamps, Bid: prices, Ask: prices.slice(1) }),
    'a minus': (text) => text.replace('[100,', '[-100,'),
    'a price of 0 before the last': (text) => text.replace('[100,', '[0,'),
    'a last price that is not 0': (text) => text.replace(',0]', ',1]'),
    'one price less': (text) => text.replace('[100,', '['),
    'one more price': (text) => text.replace('[100,', '[100,100,'),
    'one more price, 0 as the last': (text) => text.replace(',0]', ',0,0]'),
    'no comma': (text) => text.replace('[100,', '[100 '),
    'a comma at the end': (text) => text.replace(',0]', ',0,]'),
    'more after the end': (text) => `${text}x`,
    'no end': (text) => text.slice(0, -1),
    'a third member': (text) => text.replace('}', ',"x":1}'),
    'a name twice': (text) => text.replace('"Price"', '"Timestamp"'),
    'the prices twice': (text) => text.replace(/\{.*"Price"/, '{"Price":[0],"Price"'),
    'a step back in time': (text) => text.replace(stamps[50], stamps[40]),
    'a future timestamp that equals the last tick': (text) => text.replace(stamps[199], stamps[198]),
    'a timestamp that does not end': (text) => text.replace(`${stamps[50]}"`, stamps[50]),
    'another suffix': (text) => text.replaceAll('.000"', '.000Z"').replace('.000Z"', '.000z"'),
    'second 60': (text) => text.replace(stamps[50], stamps[50].replace(/\d\d\.000/, '60.000')),
    'second 60, equal to the next timestamp': (text) => text.replace(':59.000"', ':60.000"'),
    'a day that does not exist': (text) => text.replaceAll('2024-02-29', '2024-02-30'),
    'ten digits of fraction': (text) => text.replaceAll('.000"', '.0000000000"'),
    'one time in two formats': (text) => text.replace('.000"', '"'),
    'an escape': (text) => text.replace('"2024', '"\\u0032024'),
    '199 entries': () => JSON.stringify({ Timestamp: stamps.slice(1), Price: prices.slice(1) }),
    nothing: () => '',
    'a list': () => '[]',
  };
  for (const [what, change] of Object.entries(left)) {
    it(`leaves ${what} to the general path`, () => {
      expect(change(body)).to.not.equal(body);
      expect(scan(change(body))).to.equal(undefined);
    });
  }

  it('leaves 3002 entries to the general path, and accepts 3001', () => {
    const long = (count: number): string =>
      JSON.stringify({
        Timestamp: Array.from({ length: count }, (_, i) => formatTimestamp(START_US + i * 1000)),
        Price: Array.from({ length: count }, (_, i) => (i === count - 1 ? 0 : 1.5)),
      });
    expect(scan(long(3001))?.series.prices).to.have.lengthOf(3000);
    expect(scan(long(3002))).to.equal(undefined);
  });
});
