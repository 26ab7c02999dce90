import { expect } from 'chai';
import { readDecimal } from '../../../src/console/ticks/readFuture.ts';
import { keepSettings, keptSettings, type KeptSettings } from '../../../src/console/panels/keptSettings.ts';
import { keepMarkets, keptMarkets, keptShown, MOST_PAGE_MARKETS } from '../../../src/console/markets/keptMarkets.ts';
import type { WantedMarket } from '../../../src/console/markets/Markets.ts';
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
