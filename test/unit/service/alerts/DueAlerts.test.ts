import { expect } from 'chai';
import type { AlertForecast } from '../../../../src/engine/live/alertDue.ts';
import { DueAlerts } from '../../../../src/service/alerts/DueAlerts.ts';
import { sampleWebhook } from '../../../support/sampleAccount.ts';

const forecastOf = (series: string, at = 1): AlertForecast => ({
  ...{ series, lastUs: at, futureUs: 60e6 + at },
  ...{ isMarked: true, probability: 0.5, minMoveBps: 2 },
});

describe('DueAlerts', () => {
  const every = sampleWebhook('1', { rule: { min_probability: 0.4, pause_minutes: 1 } });
  const other = sampleWebhook('2', { rule: { min_probability: 0.4, pause_minutes: 1 } });
  const plain = sampleWebhook('3');

  it('counts the pause of each target and series apart', () => {
    const due = new DueAlerts();
    const told = [every, other].flatMap((webhook) =>
      ['eurusd', 'gold', 'eurusd'].map((series, i) => due.ofForecast('a', webhook, forecastOf(series, i + 1), 0)),
    );
    expect(told).to.deep.equal(['move', 'move', undefined, 'move', 'move', undefined]);
    expect(due.ofForecast('b', every, forecastOf('eurusd'), 0)).to.equal('move');
  });

  it('tells once what came true after what was told, and after nothing else', () => {
    const due = new DueAlerts();
    const [first, second] = [forecastOf('eurusd', 1), forecastOf('eurusd', 2)];
    due.ofForecast('a', every, first, 0);
    due.ofForecast('a', every, second, 1);
    expect([second, first, first].map((one) => due.ofOutcome('a', every, one))).to.deep.equal([false, true, false]);
    expect(due.ofOutcome('a', other, first)).to.equal(false);
    expect(due.ofForecast('a', every, second, 2), 'the pause goes on').to.equal(undefined);
  });

  it('tells a target without a rule of each mark and its outcome', () => {
    const due = new DueAlerts();
    const unmarked = { ...forecastOf('eurusd'), isMarked: false };
    expect([forecastOf('eurusd'), forecastOf('eurusd'), unmarked].map((one) => due.ofForecast('a', plain, one, 0))).to.deep.equal([
      'move',
      'move',
      undefined,
    ]);
    expect([forecastOf('eurusd'), unmarked].map((one) => due.ofOutcome('a', plain, one))).to.deep.equal([true, false]);
  });
});
