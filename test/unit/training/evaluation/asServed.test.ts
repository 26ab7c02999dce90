import { expect } from 'chai';
import { baselineInput } from '../../../../src/engine/features/columns.ts';
import { FeatureBuilder } from '../../../../src/engine/features/FeatureBuilder.ts';
import { replayOrigins, replayTicks, type ReplayedWindow } from '../../../../src/engine/forecast/replayTicks.ts';
import { seriesSkill } from '../../../../src/engine/scoring/brierSkill.ts';
import { logOdds, sigmoid } from '../../../../src/engine/scoring/logOdds.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { allocateRows } from '../../../../training/data/RowSet.ts';
import { sourceOfSeries } from '../../../../training/data/readSources.ts';
import type { TickSource } from '../../../../training/data/TickSource.ts';
import { asServed } from '../../../../training/evaluation/asServed.ts';
import { checkLine } from '../../../../training/evaluation/compareAsServed.ts';
import type { Scores } from '../../../../training/evaluation/Scores.ts';
import { brier } from '../../../../training/metrics/probability.ts';
import { fakeForecaster, MEMORY_LINE } from '../../../support/fakeForecaster.ts';

const HORIZON_US = 10_000_000;
const TICKS = syntheticTicks({ seed: 3, count: 6000 });
const RESIDUAL = 0.2;
const OPTIONS = { ticks: 300, horizonUs: HORIZON_US, everyUs: HORIZON_US + 1_000_000 };
const { forecaster } = fakeForecaster({
  memory: MEMORY_LINE,
  answer: (row) => ({ baselineLogit: row.baseline - 1, residualLogit: RESIDUAL, directionLogit: 0 }),
});

async function replayed(memory?: 'off'): Promise<ReplayedWindow[]> {
  const windows = [];
  for await (const window of replayTicks(forecaster, TICKS, memory === undefined ? OPTIONS : { ...OPTIONS, memory })) windows.push(window);
  return windows;
}

/** The rows of the windows of a replay, as training makes them. */
function rowsOf(windows: readonly ReplayedWindow[], source: TickSource) {
  const rows = allocateRows(windows.length, 1);
  const builder = new FeatureBuilder();
  const origins = replayOrigins(TICKS, OPTIONS);
  windows.forEach(({ timeUs, minMoveBps, moveBps }, row) => {
    const measures = builder.read(TICKS, origins[row] + 1 - OPTIONS.ticks, origins[row] + 1, timeUs + HORIZON_US);
    if (typeof measures === 'string') throw new Error(measures);
    rows.theta[row] = rows.thetaDefault[row] = minMoveBps! / 10_000;
    rows.baseline[row] = baselineInput(measures, measures.thetaDefault);
    rows.move[row] = moveBps! / 10_000;
    rows.horizonS[row] = HORIZON_US / 1e6;
    rows.originUs[row] = Math.floor(timeUs / 1000) * 1000;
  });
  const column = (of: (window: ReplayedWindow) => number): Float64Array => Float64Array.from(windows, of);
  const alone: Scores = {
    row: Int32Array.from(windows.keys()),
    ...{
      candidate: column(({ baselineProbability }) => sigmoid(logOdds(baselineProbability!) + RESIDUAL)),
      ewma: column(({ baselineProbability }) => baselineProbability!),
    },
    ...{ baseRate: null, served: null, directionLogit: new Float64Array(windows.length), marked: null, servedMarked: null },
  };
  return { rows, sources: [source], alone, lines: { candidate: MEMORY_LINE, served: undefined }, marks: () => null };
}

describe('scores as served', () => {
  const source = sourceOfSeries('ticks', TICKS, 'ticks.csv');
  let alone: ReplayedWindow[];
  let withMemory: ReplayedWindow[];
  before(async () => {
    const known = ({ outcome }: ReplayedWindow): boolean => typeof outcome === 'number';
    alone = (await replayed('off')).filter(known);
    withMemory = (await replayed()).filter(known);
    expect(alone.length).to.be.above(60);
  });

  it('have what the memory of the series adds in a replay, by the code of the service', () => {
    const input = rowsOf(alone, source);
    const { candidate } = asServed(input);
    const parts = candidate.map((p, at) => logOdds(p) - logOdds(input.alone.candidate[at]));
    withMemory.forEach(({ probability }, at) => {
      const part = logOdds(probability!) - logOdds(alone[at].probability!);
      expect(parts[at]).to.be.closeTo(part, 1e-6);
    });
    expect(Math.max(...parts.map(Math.abs))).to.be.above(0.05);
  });

  it('have the baselines of a replay, from the outcomes before each origin', () => {
    const input = rowsOf(alone, source);
    const { ewma, baseRate } = asServed(input);
    const labels = Uint8Array.from(alone, ({ outcome }) => outcome as number);
    const found = seriesSkill(
      alone.map((window) => ({ ...window, moved: window.outcome === 1 })),
      HORIZON_US,
    )!;
    expect(brier(ewma, labels)).to.be.closeTo(found.baseline.rival, 1e-12);
    expect(brier(baseRate!, labels)).to.be.closeTo(found.base_rate.rival, 1e-12);
  });

  it('are the same in whatever segments the ticks are read', () => {
    const parts = [0, 1234, 1235, 5000, TICKS.timesUs.length];
    const segments = () => parts.slice(1).map((to, i) => ({ series: TICKS, from: parts[i], to }));
    expect(asServed(rowsOf(alone, { ...source, segments })).candidate).to.deep.equal(asServed(rowsOf(alone, source)).candidate);
  });

  it('do not keep a line of the memory that makes a version worse', () => {
    const input = rowsOf(alone, source);
    const wrong = { slope: 1, intercept: 3, weights: {} };
    const checked = checkLine({ ...input, lines: { candidate: wrong, served: undefined } });
    expect(checked.line).to.equal(undefined);
    expect(checked.scores.candidate).to.deep.equal(input.alone.candidate);
    expect(checked.notes[0]).to.match(/^The version does not use the memory of a series, which makes it worse: Brier score 0\.\d+ with/);
    const still = { slope: 1, intercept: 0, weights: {} };
    expect(checkLine({ ...input, lines: { candidate: still, served: undefined } }).line).to.equal(still);
  });
});
