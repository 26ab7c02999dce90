import { expect } from 'chai';
import { importFile, refusalOf } from '../../../src/console/worker/importFile.ts';
import { TickRing } from '../../../src/console/worker/TickRing.ts';
import { readDecimal } from '../../../src/console/ticks/readFuture.ts';
import { keepSettings, keptSettings, type KeptSettings } from '../../../src/console/panels/keptSettings.ts';
import { keepMarkets, keptMarkets, keptShown, MOST_PAGE_MARKETS } from '../../../src/console/markets/keptMarkets.ts';
import type { WantedMarket } from '../../../src/console/markets/Markets.ts';
import { writeTimestamp } from '../../../src/ticks/timestamps.ts';
import { typicalMoveBps } from '../../../src/console/ticks/labelOutcome.ts';

const SETTINGS: KeptSettings = { count: '500', horizon: '90 s', isOwn: true, move: '2', spread: '1,5', fees: '0.5', least: '40' };

let kept: string | null = null;
let isBlocked = false;
const storeText = (text: string | null): void => void (kept = text);

describe('what a browser keeps', () => {
  before(() => {
    const store = { getItem: () => kept, setItem: (_: string, text: string) => storeText(text) };
    const get = () => {
      if (isBlocked) throw new Error('SecurityError');
      return store;
    };
    Object.defineProperty(globalThis, 'localStorage', { get, configurable: true });
  });
  afterEach(() => ([kept, isBlocked] = [null, false]));
  after(() => Reflect.deleteProperty(globalThis, 'localStorage'));

  it('are settings, as they were typed', () => {
    keepSettings(SETTINGS);
    expect(keptSettings()).to.deep.equal(SETTINGS);
  });

  it('are no settings where nothing, something else or rubbish was kept', () => {
    const texts = ['', 'null', '[]', '{', '7', '{"count":500}', JSON.stringify({ ...SETTINGS, move: 'x'.repeat(41) })];
    for (const text of [null, ...texts]) {
      storeText(text);
      expect(keptSettings(), String(text)).to.equal(null);
    }
  });

  it('lasts for the page where storage is blocked', () => {
    isBlocked = true;
    keepSettings(SETTINGS);
    expect(keptSettings()).to.equal(null);
  });

  const good = { exchange: 'binance', symbol: 'BTC/USDT', kind: 'trades', costBps: 8.1, horizons: ['10s', '2m'] };
  const whole = { ...good, period: null, alert: null };

  it('are the markets that are whole, and bounded', () => {
    const bad = [
      null,
      1,
      {},
      { ...good, symbol: '<b>' },
      { ...good, kind: 'bars' },
      { ...good, costBps: -1 },
      { ...good, costBps: '8' },
      { ...good, horizons: [] },
      { ...good, horizons: ['<b>'] },
    ];
    const read = (text: string) => (storeText(text), keptMarkets());
    expect(read(JSON.stringify([...bad, good]))).to.deep.equal([whole]);
    const { horizons: _none, ...earlier } = good;
    expect(read(JSON.stringify([earlier]))).to.deep.equal([{ ...whole, horizons: ['10s', '60s', '5m', '30m'] }]);
    keepMarkets([whole as WantedMarket]);
    expect(keptMarkets()).to.deep.equal([whole]);
    for (const text of ['rubbish', '{}', 'null', '7']) expect(read(text), text).to.deep.equal([]);
    expect(read(JSON.stringify(Array(50).fill(good)))).to.have.length(MOST_PAGE_MARKETS);
  });

  it('is which markets it showed, as far as they are whole', () => {
    const read = (text: string) => (storeText(text), keptShown());
    expect(read('{"open":"a","charts":["b",7]}')).to.deep.equal({ open: 'a', charts: ['b'] });
    for (const text of ['{"open":7,"charts":7}', '', 'rubbish', 'null']) expect(read(text)).to.deep.equal({ open: null, charts: [] });
  });
});

describe('a number of a field', () => {
  it('is read with a point or a comma', () => {
    expect(['1.5', '0,25', ' 3 ', ''].map(readDecimal)).to.deep.equal([1.5, 0.25, 3, null]);
    for (const text of ['x', '-1', '1e3', '1.2.3']) expect(readDecimal(text), text).to.be.NaN;
  });
});

describe('the cost of a trade', () => {
  it('is compared with the mean move of a diffusion from the entry to the future time', () => {
    expect(typicalMoveBps(1, 101_000)).to.be.closeTo(10 * Math.sqrt(2 / Math.PI), 1e-12);
    expect(typicalMoveBps(1, 500)).to.equal(0);
  });
});

describe('the order of dates', () => {
  async function* bytes(text: string): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(text);
  }
  const read = (date: string, order: 'dmy' | 'mdy' | null) => {
    const ring = new TickRing(10);
    return importFile(bytes(`time,price\n${date} 09:00:00.000,100\n${date} 09:00:01.000,101\n`), 'dates.csv', ring, {
      ...{ zone: null, trained: null, barTime: null },
      way: order === null ? null : `--date-order ${order}`,
    }).then(() => writeTimestamp(ring.toSeries().timesUs[0]).slice(0, 10));
  };

  it('is asked for where the file does not tell it, with the orders that are possible', async () => {
    const error: unknown = await read('03/04/2024', null).catch((caught: unknown) => caught);
    const refusal = refusalOf(error);
    expect(refusal?.ways).to.deep.equal(['--date-order dmy', '--date-order mdy']);
    expect(refusal?.message)
      .to.include('no row shows which')
      .and.to.match(/Choose below how it is read\.$/);
    expect(await read('03/04/2024', 'mdy')).to.equal('2024-03-04');
    expect(await read('03/04/2024', 'dmy')).to.equal('2024-04-03');
  });

  it('is not asked for where the file cannot be read at all', async () => {
    const error: unknown = await read('33/44/2024', null).catch((caught: unknown) => caught);
    expect(refusalOf(error)?.ways).to.deep.equal([]);
    expect(refusalOf(new Error('other'))).to.equal(undefined);
  });
});
