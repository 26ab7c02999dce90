import { expect } from 'chai';
import { MarketModel } from '../../../../src/engine/model/MarketModel.ts';
import type { ModelManifest } from '../../../../src/engine/model/ModelManifest.ts';
import { allocateRows } from '../../../../training/data/RowSet.ts';
import { versionProbabilities } from '../../../../training/evaluation/versionProbabilities.ts';
import { smallManifest } from '../../../support/smallModel.ts';
import { smallMarket } from '../../../support/smallMarket.ts';

describe('the answers of a version for rows', () => {
  const HOUR_US = 3_600_000_000;
  const { toUs, clockEndsUs, openHours } = smallMarket();
  const rows = allocateRows(3, 1);
  [toUs + 12 * HOUR_US, toUs + 13 * HOUR_US, clockEndsUs].forEach((us, row) => {
    rows.originUs[row] = us;
    rows.windowS[row] = 1800;
    rows.horizonS[row] = 60;
    rows.head[row] = 1;
    rows.theta[row] = rows.thetaDefault[row] = 2e-4;
  });
  const predicted = {
    index: Int32Array.of(0, 1, 2),
    draws: 1,
    baseline: Float32Array.of(-1, -1, -1),
    residual: new Float32Array(3),
    direction: new Float32Array(3),
  };
  const manifest = { ...smallManifest('small'), files: {} } as ModelManifest;

  it('are those of the network without a market', () => {
    const { p } = versionProbabilities({ manifest }, rows, predicted);
    expect(new Set(p).size).to.equal(1);
  });

  it('use the market where it is open and not stale', () => {
    const base = versionProbabilities({ manifest }, rows, predicted).p;
    const market = new MarketModel(smallMarket());
    const { p, marked } = versionProbabilities({ manifest, market }, rows, predicted);
    const point = market.at(rows.originUs[0]!, 1800, 60, 1);
    if (typeof point === 'string') throw new Error(point);
    const baseLogit = Math.log(base[0]! / (1 - base[0]!));
    expect(Math.log(p[0]! / (1 - p[0]!))).to.be.closeTo(point.logit(baseLogit, Math.log(2e-4)), 1e-9);
    expect([...marked].slice(0, 2)).to.deep.equal([...p].slice(0, 2).map((value) => (value >= 0.1 ? 1 : 0)));
    expect(p[2]).to.equal(base[2]);
    const closed = new MarketModel(smallMarket({ openHours: openHours.map((_, hour) => (hour === 100 ? 1 : 0)) }));
    const shut = versionProbabilities({ manifest, market: closed }, rows, predicted);
    expect([shut.p[0], shut.marked[0]]).to.deep.equal([base[0], 0]);
  });

  it('use the level of the day before where it is known, as a request with closes does', () => {
    const market = new MarketModel(smallMarket());
    const without = versionProbabilities({ manifest, market }, rows, predicted);
    const level = 2 * smallMarket().level;
    const { p, usesRecent } = versionProbabilities({ manifest, market }, rows, predicted, (row) => (row === 0 ? level : null));
    expect([[...usesRecent], [...without.usesRecent]]).to.deep.equal([
      [1, 0, 0],
      [0, 0, 0],
    ]);
    const point = market.at(rows.originUs[0]!, 1800, 60, 1, level);
    if (typeof point === 'string') throw new Error(point);
    const base = versionProbabilities({ manifest }, rows, predicted).p[0]!;
    expect(Math.log(p[0]! / (1 - p[0]!))).to.be.closeTo(point.logit(Math.log(base / (1 - base)), Math.log(2e-4)), 1e-9);
    expect(p[0]).not.to.equal(without.p[0]);
    expect([...p].slice(1)).to.deep.equal([...without.p].slice(1));
  });
});
