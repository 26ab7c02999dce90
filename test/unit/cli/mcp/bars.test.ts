import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { replayLive } from '../../../../src/cli/mcp/liveTool.ts';
import { type ForecastInput, readInput } from '../../../../src/cli/mcp/toolInputs.ts';
import { compileBodyChecks } from '../../../../src/contract/compileBodyChecks.ts';
import { seededRandom } from '../../../../src/core/Random.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { parseTimestampUs } from '../../../../src/ticks/timestamps.ts';
import { barBody, stampedAtOpen } from '../../../support/barBodies.ts';
import { BAR_MODEL, fakeForecaster, MEMORY_LINE } from '../../../support/fakeForecaster.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

const BARS = stampedAtOpen(barBody(seededRandom(4), { count: 600, hasFuture: false }), 60, false);
const last = (count: number) => ({
  Timestamp: BARS.Timestamp.slice(-count),
  ...{ Open: BARS.Open!.slice(-count), High: BARS.High!.slice(-count), Low: BARS.Low!.slice(-count), Close: BARS.Close.slice(-count) },
});

describe('bars in the tools of MCP', () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'bars.csv');
  before(() => {
    const rows = BARS.Timestamp.map((stamp, i) => [stamp, BARS.Open![i], BARS.High![i], BARS.Low![i], BARS.Close[i]].join(','));
    writeFileSync(file, ['timestamp,open,high,low,close', ...rows, ''].join('\n'));
    const ticks = BARS.Timestamp.map((stamp, i) => `${stamp},${BARS.Close[i]}`);
    writeFileSync(path.join(folder, 'ticks.csv'), ['timestamp,price', ...ticks, ''].join('\n'));
  });
  const read = (input: ForecastInput) => readInput(input, compileBodyChecks(), () => Promise.resolve(500));
  const refused = async (run: () => Promise<unknown>): Promise<unknown[]> => {
    try {
      await run();
    } catch (error) {
      expect(error).to.be.instanceOf(ServiceError);
      const { code, errors } = error as ServiceError;
      return errors.length === 0 ? [code] : [errors[0].pointer, errors[0].code];
    }
    return [];
  };

  it('reads bars of a call and the same bars of a file, with horizons in bars', async () => {
    const fromCall = await read({ ...last(500), bar_time: 'open', horizons: ['5bars', '10m'] });
    const fromFile = await read({ file, bar_time: 'open', horizons: ['5bars', '10m'] });
    expect(fromFile.requests.map(({ horizon }) => horizon)).to.deep.equal(['5bars', '10m']);
    const endUs = parseTimestampUs(BARS.Timestamp.at(-1)!) + 60e6;
    for (const [i, aheadUs] of [300e6, 600e6].entries()) {
      const [call, own] = [fromCall.requests[i].request, fromFile.requests[i].request];
      expect(call.futureUs).to.equal(endUs + aheadUs);
      for (const key of ['series', 'futureUs'] as const) expect(own[key], key).to.deep.equal(call[key]);
      // The timestamps of a file are checked when it is read.
      expect({ ...own.bars, barTime: 'open' }).to.deep.equal(call.bars);
    }
    const [one] = (await read({ file, bar_time: 'close', horizon: '5bars' })).requests;
    expect(one!.request.futureUs).to.equal(endUs + 240e6);
  });

  it('requires bar_time of bars, and refuses it with ticks', async () => {
    const ticks = path.join(folder, 'ticks.csv');
    expect(await refused(() => read({ ...last(500), horizons: ['5m'] }))).to.deep.equal(['?bar_time', 'bar_time.required']);
    expect(await refused(() => read({ file, horizon: '5m' }))).to.deep.equal(['/bar_time', 'bar_time.required']);
    expect(await refused(() => read({ file: ticks, horizon: '5m', bar_time: 'open' }))).to.deep.equal(['/bar_time', 'query.without_bars']);
    expect(await refused(() => read({ file: ticks, horizon: '5bars' }))).to.deep.equal(['command.invalid']);
    expect(await refused(() => read({ file, horizon: '2000bars', bar_time: 'open' }))).to.deep.equal(['/horizon', 'field.out_of_range']);
    const twice = { ...last(500), bar_time: 'open', horizons: ['5bars', '5m'] } as const;
    expect(await refused(() => read(twice))).to.deep.equal(['/horizons/1', 'forecast.id_repeated']);
  });

  it('replays a file of bars from close to close, with a forecast at each bar', async () => {
    const { forecaster, served } = fakeForecaster({ memory: MEMORY_LINE, bars: BAR_MODEL });
    const models = { defaultId: served.id, find: () => served } as never;
    const open = () => Promise.resolve({ forecaster, models });
    const input = { file, horizons: ['5bars'], min_move_bps: 4 } as const;
    expect(await refused(() => replayLive(input, open))).to.deep.equal(['/bar_time', 'bar_time.required']);
    const { scores, last_outcomes: outcomes } = (await replayLive({ ...input, bar_time: 'open' }, open)) as {
      scores: { forecasts: number; outcomes: number }[];
      last_outcomes: { n: number; move_bps: number }[];
    };
    expect(scores[0]).to.include({ forecasts: 600 - 198, outcomes: 600 - 198 - 6 });
    for (const { n, move_bps: bps } of outcomes)
      expect(bps).to.be.closeTo(1e4 * Math.log(BARS.Close[198 + n + 5] / BARS.Close[198 + n]), 1e-6);
  });
});
