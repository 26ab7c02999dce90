import { expect } from 'chai';
import type { LiveScore } from '../../../clients/typescript/src/index.ts';
import { ForecastLog } from '../../../src/console/live/ForecastLog.ts';
import { horizonChoices, usualHorizons } from '../../../src/console/markets/horizonChoices.ts';
import { MarketAlerts } from '../../../src/console/markets/MarketAlerts.ts';
import { chanceText, scoreText, stateText, type Chance } from '../../../src/console/markets/marketWords.ts';
import { readCost, readRule, ruleTexts, ruleWords, type RuleTexts } from '../../../src/console/markets/ruleTexts.ts';
import { settledOf, worthOf, type TimedForecast } from '../../../src/console/markets/worth.ts';
import { MARKET_EXAMPLE, type MarketAnswer } from '../../../src/contract/markets.ts';
import { writeTimestamp } from '../../../src/ticks/timestamps.ts';
import { forecast as message, outcome, score } from './live/liveMessages.ts';

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
      stateText({ state, reason: 'why', ticks: 100, kind: 'trades' }),
    );
    expect(texts).to.deep.equal([
      'Connecting…: why',
      'Ticks are missing; forecasts begin again with 199 new ones: why',
      'The service does not connect: why',
      'Failed, trying again: why',
      'The first forecast needs 99 more ticks',
    ]);
    expect(stateText({ state: 'live', reason: null, ticks: 199, kind: 'trades' })).to.equal('');
    expect(stateText({ state: 'live', reason: null, ticks: 198, kind: 'bars' })).to.equal('The first forecast needs 1 more bar');
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

  it('reads them of the log of a page, without those that have no outcome or no probability', () => {
    const log = new ForecastLog();
    const of = { min_move_bps: 8, last_tick: writeTimestamp(5e6), volatility_probability: 0.2 };
    for (const [n, probability] of [0.4, null, 0.3].entries())
      log.add({ ...message({ n, id: '5m', probability, trend_identified: n === 0 ? 1 : null }), ...of }, 0);
    for (const n of [0, 1]) log.settle({ ...outcome({ n, id: '5m' }), moved: true, move_bps: -12 });
    expect(settledOf(log)).to.deep.equal([
      { horizon: '5m', timeUs: 5e6, probability: 0.4, baselineProbability: 0.2, isMarked: true, moveBps: -12, costBps: 8 },
    ]);
  });
});

describe('the form of a market', () => {
  it('offers the horizons that a series learns', () => {
    expect(horizonChoices(null)).to.deep.equal(['5s', '10s', '30s', '60s', '2m', '5m', '15m', '30m']);
    expect(horizonChoices('1m')).to.deep.equal(['5m', '10m', '15m', '30m', '1h', '2h']);
    expect(horizonChoices('5m')).to.deep.equal(['30m', '1h', '2h']);
    expect([usualHorizons(null), usualHorizons('1m'), usualHorizons('5m')]).to.deep.equal([
      ['10s', '60s', '5m', '30m'],
      ['5m', '30m', '2h'],
      ['30m', '2h'],
    ]);
    for (const period of [null, '1m', '5m']) expect(horizonChoices(period)).to.include.members([...usualHorizons(period)]);
  });

  const none: RuleTexts = { horizon: '', chance: '', move: '', pause: '', quietFrom: '', quietTo: '', touch: '' };

  it('reads an alert rule, and writes it again', () => {
    const all = { horizon: '5m', chance: '40', move: '2.5', pause: '15', quietFrom: '22:00', quietTo: '06:00', touch: '65000' };
    const rule = {
      ...{ horizon: '5m', min_probability: 0.4, min_move_bps: 2.5, touch: 65_000, pause_minutes: 15 },
      quiet_hours: '22:00-06:00',
    };
    expect(readRule(all)).to.deep.equal(rule);
    expect(ruleTexts(rule)).to.deep.equal(all);
    expect([readRule(none), ruleTexts({})]).to.deep.equal([{}, none]);
    expect(readRule({ ...none, chance: '33,3' })).to.deep.equal({ min_probability: 0.333 });
    for (let percent = 1; percent <= 99; percent++) {
      const texts = { ...none, chance: String(percent) };
      expect(ruleTexts(readRule(texts) as object)).to.deep.equal(texts);
    }
    const wrong = [
      { chance: '100' },
      { chance: '0' },
      { chance: 'x' },
      { move: '-1' },
      { pause: '1.5' },
      { pause: '1441' },
      { touch: '1e3' },
    ];
    for (const texts of [...wrong, { quietFrom: '22:00' }, { quietTo: '06:00' }])
      expect(readRule({ ...none, ...texts }), JSON.stringify(texts)).to.be.a('string');
  });

  it('says a rule in words', () => {
    const cases = [
      [null, 'Alerts: marks.'],
      [{}, 'Alerts: marks.'],
      [{ horizon: '5m', min_probability: 0.4, pause_minutes: 15 }, 'Alerts: chances from 40 %, 5 min ahead, at most one in 15 min.'],
      [{ touch: 65_000, quiet_hours: '22:00-06:00' }, 'Alerts: 65000 is reached, not 22:00-06:00 UTC.'],
      [{ min_move_bps: 2.5 }, 'Alerts: marks, moves of at least 2.5 bps.'],
    ] as const;
    for (const [rule, words] of cases) expect(ruleWords(rule)).to.equal(words);
  });
});

describe('the alerts of a page', () => {
  const NOW_MS = Date.UTC(2026, 0, 15, 12);
  const market = (n: number, alert: MarketAnswer['alert'], other: object = {}): MarketAnswer => ({
    ...{ ...MARKET_EXAMPLE, alert },
    forecasts: [
      {
        ...MARKET_EXAMPLE.forecasts[0],
        last: {
          ...MARKET_EXAMPLE.forecasts[0].last!,
          ...{ n, last_tick: writeTimestamp(1000 * NOW_MS), future: writeTimestamp(1000 * (NOW_MS + 300_000)) },
          ...other,
        },
      },
    ],
  });

  it('are those of the rule of the market, each once, and none of what was there before', () => {
    const told: unknown[] = [];
    const alerts = new MarketAlerts(
      (_series, { probability, isMarked }) => void told.push(isMarked === true ? probability : { probability }),
    );
    const look = (n: number, alert: MarketAnswer['alert'], other: object = {}): void => alerts.look([market(n, alert, other)], NOW_MS);
    look(0, null);
    look(0, null);
    expect(told).to.deep.equal([]);
    look(1, null, { probability: 0.5 });
    look(1, null, { probability: 0.5 });
    look(2, null, { probability: 0.6, marked: false });
    look(3, { min_probability: 0.6 }, { probability: 0.6, marked: false });
    look(4, { min_probability: 0.7 }, { probability: 0.6 });
    look(5, { pause_minutes: 5 }, { probability: 0.8 });
    look(6, { quiet_hours: '11:00-13:00' }, { probability: 0.9 });
    look(7, null, { probability: null });
    look(8, null, { probability: 0.9, future: writeTimestamp(1000 * (NOW_MS - 1)) });
    expect(told).to.deep.equal([0.5, { probability: 0.6 }]);
  });
});
