import { expect } from 'chai';
import type { LiveScore } from '../../../clients/typescript/src/index.ts';
import { MOST_PAGE_MARKETS, parseMarkets } from '../../../src/console/markets/parseMarkets.ts';
import { chanceText, scoreText, stateText, type Chance } from '../../../src/console/markets/marketWords.ts';
import { readCost } from '../../../src/console/markets/readCost.ts';
import { worthOf, type TimedForecast } from '../../../src/console/markets/worth.ts';
import { score } from './live/liveMessages.ts';

const chance = (other: Partial<Chance> = {}): Chance => ({
  ...{ horizon: '5m', probability: 0.41, usual: 0.12, moveBps: 8.1, isMarked: true, reason: undefined, score: undefined },
  ...other,
});

describe('the words of a watched market', () => {
  it('name the chance beyond the own cost, or of an unusually large move, and never an opportunity', () => {
    const cases: [other: Partial<Chance>, costBps: number | null, text: string][] = [
      [{}, 8.1, 'Beyond your 8.1 bps within 5 min: 41 %, usually 12 %'],
      [{ probability: 0.37, usual: 0.2 }, null, 'An unusually large move within 5 min: 37 %, usually 20 %'],
      [{ usual: null }, 8.1, 'Beyond your 8.1 bps within 5 min: 41 %'],
      [{}, 6.5, 'Beyond your 6.5 bps within 5 min: from the next forecast on'],
      [{ probability: null, reason: 'constant_price' }, 8.1, 'Beyond your 8.1 bps within 5 min: Wait until the price moves'],
      [{ probability: null, moveBps: null }, 8.1, 'Beyond your 8.1 bps within 5 min: –'],
    ];
    for (const [other, costBps, text] of cases) expect(chanceText(chance(other), costBps)).to.equal(text);
  });

  it('praise only what beats volatility alone, and show all forecasts next to the marks', () => {
    const [known] = score().scores;
    const of = (conclusion: LiveScore['conclusion']): string =>
      scoreText({ ...known, outcomes: 200, marks: 20, hits: 8, hit_interval: [0.2, 0.6], base_rate: 0.12, conclusion });
    const counts = '8 of 20 marks came true: 40 % (20 % to 60 %); of all 200 forecasts, 12 %.';
    expect(of('better')).to.equal(`${counts} Better than volatility alone.`);
    expect(of('too_few')).to.equal(`${counts} Not shown to be better than volatility alone.`);
    expect(of('worse')).to.equal(`${counts} Worse than volatility alone.`);
    expect(scoreText(undefined)).to.equal('no outcome yet');
  });

  it('say why there is no forecast', () => {
    const texts = (['connecting', 'gap', 'stopped', 'failed', 'live'] as const).map((state) =>
      stateText({ state, reason: 'why', ticks: 100 }),
    );
    expect(texts).to.deep.equal([
      'Connecting…: why',
      'Ticks are missing; forecasts begin again with 199 new ones: why',
      'The service does not connect: why',
      'Failed, trying again: why',
      'The first forecast needs 99 more ticks',
    ]);
    expect(stateText({ state: 'live', reason: null, ticks: 199 })).to.equal('');
  });
});

describe('a cost as typed', () => {
  it('is a number of basis points above 0, none, or a fault', () => {
    const cases: [text: string, wanted: number | null | 'fault'][] = [
      ['', null],
      [' 8.1 ', 8.1],
      ['8,1 bps', 8.1],
      ['0', 'fault'],
      ['-1', 'fault'],
      ['10001', 'fault'],
      ['1e3', 'fault'],
      ['Infinity', 'fault'],
    ];
    for (const [text, wanted] of cases) {
      const cost = readCost(text);
      expect(typeof cost === 'string' ? 'fault' : cost, text).to.equal(wanted);
    }
  });
});

describe('the markets that a browser remembers', () => {
  const good = { exchange: 'binance', symbol: 'BTC/USDT', kind: 'trades', costBps: 8.1 };

  it('are those that are whole, and bounded', () => {
    const bad = [null, 1, {}, { ...good, symbol: '<b>' }, { ...good, kind: 'bars' }, { ...good, costBps: -1 }, { ...good, costBps: '8' }];
    expect(parseMarkets(JSON.stringify([...bad, good]))).to.deep.equal([good]);
    for (const text of ['rubbish', '{}', 'null', '7']) expect(parseMarkets(text), text).to.deep.equal([]);
    expect(parseMarkets(JSON.stringify(Array(50).fill(good)))).to.have.length(MOST_PAGE_MARKETS);
  });
});

describe('what marks were worth', () => {
  const forecast = (timeUs: number, other: Partial<TimedForecast> = {}): TimedForecast => ({
    ...{ horizon: '5m', timeUs, probability: 0.4, baselineProbability: 0.2, isMarked: true, moveBps: 12, costBps: 8 },
    ...other,
  });

  it('is counted by horizon, of the forecasts that can be compared with volatility alone', () => {
    const worth = worthOf([
      forecast(7),
      forecast(5, { isMarked: false, baselineProbability: 0.3, moveBps: 9 }),
      forecast(6, { horizon: '60s' }),
      forecast(1, { baselineProbability: null }),
    ]);
    expect(worth.map(({ horizon, sinceUs }) => [horizon, sinceUs])).to.deep.equal([
      ['5m', 5],
      ['60s', 6],
    ]);
    const [{ marks, baseline, all }] = worth.map(({ table }) => table);
    expect([marks.count, marks.perfectBps, baseline.perfectBps, all.count]).to.deep.equal([1, 4, 1, 2]);
    expect(worthOf([])).to.deep.equal([]);
  });
});
