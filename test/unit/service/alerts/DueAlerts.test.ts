import { expect } from 'chai';
import type { AlertForecast } from '../../../../src/engine/live/alertDue.ts';
import { ToldTargets } from '../../../../src/service/alerts/ToldTargets.ts';
import { DueAlerts } from '../../../../src/service/alerts/DueAlerts.ts';
import { MOST_WEBHOOKS } from '../../../../src/service/alerts/Webhook.ts';
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

  it('goes on after a restart with what the owner of a series has kept', () => {
    let changes = 0;
    const first = new ToldTargets({}, () => changes++);
    expect([first.toJSON(), new DueAlerts().ofForecast('a', every, { ...forecastOf('eurusd', 1), told: first }, 0)]).to.deep.equal([
      undefined,
      'move',
    ]);
    const told = new ToldTargets(first.toJSON()!, () => changes++);
    const of = (at: number) => ({ ...forecastOf('eurusd', at), told });
    const later = new DueAlerts();
    expect([every, other].map((webhook) => later.ofForecast('a', webhook, of(2), 30_000))).to.deep.equal([undefined, 'move']);
    expect([of(1), of(1), of(2)].map((one) => later.ofOutcome('a', every, one))).to.deep.equal([true, false, false]);
    expect(later.ofForecast('a', every, of(3), 60_000)).to.equal('move');
    for (let i = 0; i < 20; i++) later.ofForecast('a', { ...every, id: `x${i}` }, of(4), 60_000);
    expect([Object.keys(told.toJSON()!).length, changes]).to.deep.equal([MOST_WEBHOOKS, 24]);
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
