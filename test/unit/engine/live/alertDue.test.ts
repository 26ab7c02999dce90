import { expect } from 'chai';
import type { AlertRule } from '../../../../src/contract/alertRule.ts';
import { type AlertForecast, alertDue } from '../../../../src/engine/live/alertDue.ts';

/** 12:00 UTC. */
const NOON_MS = Date.UTC(2026, 10, 28, 12);
const HOUR_MS = 3_600_000;

const forecastAt = (nowMs: number, given: Partial<AlertForecast> = {}): AlertForecast => ({
  ...{ series: 'eurusd', lastUs: 1000 * nowMs - 1e6, futureUs: 1000 * nowMs + 299e6 },
  ...{ isMarked: false, probability: 0.4, minMoveBps: 3, ...given },
});

const due = (rule: AlertRule | undefined, given: Partial<AlertForecast> = {}, lastSentMs?: number, nowMs = NOON_MS) =>
  alertDue(rule, forecastAt(nowMs, given), lastSentMs, nowMs);

describe('alertDue', () => {
  const touch = { touch: 1.09, min_probability: 0.3 };
  const cases: readonly [title: string, rule: AlertRule | undefined, given: Partial<AlertForecast>, cause: string | undefined][] = [
    ['tells each mark without a rule', undefined, { isMarked: true }, 'move'],
    ['tells no other forecast without a rule', undefined, { probability: 0.99 }, undefined],
    ['tells each mark with an empty rule', {}, { isMarked: true }, 'move'],
    ['tells what has the wanted probability', { min_probability: 0.4 }, {}, 'move'],
    ['tells no mark below the wanted probability', { min_probability: 0.41 }, { isMarked: true }, undefined],
    ['tells what moves by the cost', { min_probability: 0.4, min_move_bps: 3 }, {}, 'move'],
    ['tells no move below the cost', { min_probability: 0.4, min_move_bps: 3.01 }, {}, undefined],
    ['tells forecasts of the horizon', { horizon: '5m', min_probability: 0.4 }, {}, 'move'],
    ['tells no forecast of another horizon', { horizon: '60s', min_probability: 0.4 }, {}, undefined],
    ['tells forecasts of the series', { series: 'eurusd', min_probability: 0.4 }, {}, 'move'],
    ['tells no forecast of another series', { series: 'eurusd2', min_probability: 0.4 }, {}, undefined],
    ['tells a likely touch', touch, { touch: [{ price: 1.09, probability: 0.3 }] }, 'touch'],
    ['tells no unlikely touch', touch, { touch: [{ price: 1.09, probability: 0.29 }] }, undefined],
    ['tells no unknown touch', touch, { touch: [{ price: 1.09, probability: null }] }, undefined],
    ['tells no touch of another price', touch, { touch: [{ price: 1.1, probability: 0.9 }] }, undefined],
    ['tells no mark where only a touch is wanted', touch, { isMarked: true }, undefined],
    ['tells a touch from a half on without a probability', { touch: 1.09 }, { touch: [{ price: 1.09, probability: 0.5 }] }, 'touch'],
    ['tells none below', { touch: 1.09 }, { touch: [{ price: 1.09, probability: 0.49 }] }, undefined],
  ];
  for (const [title, rule, given, cause] of cases) it(title, () => expect(due(rule, given)).to.equal(cause));

  it('tells no forecast whose future timestamp has passed, whatever the rule', () => {
    for (const rule of [undefined, {}, { min_probability: 0.01 }, touch])
      for (const pastUs of [0, 1, 86_400e6]) {
        const futureUs = 1000 * NOON_MS - pastUs;
        const past = { isMarked: true, futureUs, lastUs: futureUs - 300e6, touch: [{ price: 1.09, probability: 0.9 }] };
        expect(due(rule, past), JSON.stringify(rule)).to.equal(undefined);
      }
  });

  it('tells at most one forecast of a series in the pause, and goes on after a clock that was set back', () => {
    const rule = { min_probability: 0.4, pause_minutes: 15 };
    const afterMs = (ms: number) => due(rule, {}, NOON_MS - ms);
    expect([0, 1, 899_999, 900_000].map(afterMs)).to.deep.equal([undefined, undefined, undefined, 'move']);
    expect(afterMs(-60_000)).to.equal('move');
  });

  it('tells nothing in the quiet hours, also over midnight', () => {
    const toldAt = (from: string, to: string): number[] => {
      const rule = { min_probability: 0.4, quiet_hours: `${from}-${to}` };
      return [...Array(24).keys()].filter((hour) => due(rule, {}, undefined, NOON_MS + (hour - 12) * HOUR_MS) !== undefined);
    };
    expect(toldAt('08:00', '20:00')).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 20, 21, 22, 23]);
    expect(toldAt('20:00', '08:00')).to.deep.equal([8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(toldAt('08:00', '08:00')).to.deep.equal([]);
    const rule = { min_probability: 0.4, quiet_hours: '11:30-12:01' };
    expect([59_999, 60_000].map((ms) => due(rule, {}, undefined, NOON_MS + ms))).to.deep.equal([undefined, 'move']);
  });
});
