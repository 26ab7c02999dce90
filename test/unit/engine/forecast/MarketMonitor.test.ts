import { expect } from 'chai';
import { MarketMonitor } from '../../../../src/engine/forecast/MarketMonitor.ts';
import { MarketModel } from '../../../../src/engine/model/MarketModel.ts';
import type { MarketFile } from '../../../../src/engine/model/MarketModel.ts';
import { fakeForecaster, fakeModel, tickRequest } from '../../../support/fakeForecaster.ts';
import { smallMarket } from '../../../support/smallMarket.ts';

const { toUs, level, windowRatio } = smallMarket();
const HOUR_US = 3600e6;

/** 240 windows of an hour's minutes each, 10 in each hour of the day and the next one, `factor` times as lively as the profile says. */
function monitored(factor: (hour: number) => number, market: MarketFile = smallMarket()): ReturnType<MarketMonitor['read']> {
  const monitor = new MarketMonitor();
  const model = fakeModel('a', { market: new MarketModel(market) });
  for (let i = 0; i < 480; i++) {
    const hour = i % 24;
    const shape = hour < 12 ? 0.5 : 1.5;
    const sigma = factor(hour) * Math.exp(windowRatio) * level * shape;
    // The last tick is 50 minutes after the hour, and the window has 40 of them.
    monitor.add(model, toUs + Math.floor(i / 24) * 24 * HOUR_US + (hour + 50 / 60) * HOUR_US, { windowS: 2400, sigmas: [1, 1, sigma, 1] });
  }
  return monitor.read(model);
}

describe('MarketMonitor', () => {
  it('finds no drift where windows are as the profile expects', () => {
    const { level: ofLevel, profile } = monitored(() => 1)!;
    expect(ofLevel).to.be.closeTo(0, 1e-6);
    expect(profile).to.be.closeTo(0, 1e-6);
  });

  it('tells a higher level from another profile', () => {
    const higher = monitored(() => Math.E)!;
    expect(higher.level).to.be.closeTo(1, 1e-6);
    expect(higher.profile).to.be.closeTo(0, 1e-6);
    const turned = monitored((hour) => (hour % 2 === 0 ? Math.E : 1 / Math.E))!;
    expect(turned.level).to.be.closeTo(0, 1e-6);
    expect(turned.profile).to.be.closeTo(Math.sqrt(24 / 23), 1e-6);
  });

  it('claims nothing for closed hours, below 200 forecasts and without a market', () => {
    expect(monitored(() => 1, smallMarket({ openHours: smallMarket().openHours.map((_, hour) => (hour === 3 ? 1 : 0)) }))).to.equal(null);
    const monitor = new MarketMonitor();
    const [none, one] = [fakeModel('a', {}), fakeModel('b', { market: new MarketModel(smallMarket()) })];
    for (let i = 0; i < 300; i++) monitor.add(none, toUs, { windowS: 60, sigmas: [1, 1, 1, 1] });
    for (let i = 0; i < 199; i++) monitor.add(one, toUs, { windowS: 60, sigmas: [1, 1, 1, 1] });
    expect([monitor.read(none), monitor.read(one)]).to.deep.equal([null, null]);
    monitor.add(one, toUs, { windowS: 60, sigmas: [1, 1, 1, 1] });
    expect(monitor.read(one)?.profile).to.equal(null);
  });

  it('counts live forecasts, not those of the sample', async () => {
    const monitor = new MarketMonitor();
    const { forecaster, served } = fakeForecaster({ market: new MarketModel(smallMarket()), markets: monitor });
    for (let i = 0; i < 210; i++) await forecaster.forecast(tickRequest());
    expect(monitor.read(served)).to.equal(null);
    for (let i = 0; i < 210; i++) await forecaster.forecast(tickRequest(), { deadlineMs: 1e9 });
    expect(monitor.read(served)?.level).to.be.a('number');
  });
});
