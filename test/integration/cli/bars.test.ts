import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { formatTimestamp, writeTimestamp } from '../../../src/ticks/timestamps.ts';
import { cliRun, type CliRun } from '../../support/cliRun.ts';
import { BAR_MODEL, MEMORY_LINE } from '../../support/fakeForecaster.ts';
import { saveSmallModel } from '../../support/saveSmallModel.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { walkBars, type Bars } from '../../support/walkBars.ts';
import { walkTicks } from '../../support/walkTicks.ts';
import { writeTicks } from '../../support/writeTicks.ts';

const BARS = walkBars({ count: 1440 * 3 });

/** A table of bars that are stamped at their ends, or at their beginnings. */
function table({ series, bars }: Bars, name: string, barTime: 'open' | 'close'): string {
  const shiftUs = barTime === 'open' ? bars.periodMs * 1000 : 0;
  const rows = [...series.timesUs].map((endUs, i) => {
    const { open, high, low } = bars.ranges;
    return `${writeTimestamp(endUs - shiftUs)},${open[i]},${high[i]},${low[i]},${series.prices[i]}`;
  });
  return `${name},open,high,low,close\n${rows.join('\n')}\n`;
}

describe('bars on the command line', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const put = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const opened = put('opened.csv', table(BARS, 'date', 'open'));
  const ended = put('ended.csv', table(BARS, 'bar_end', 'close'));
  before(() => saveSmallModel(path.join(folder, 'models'), 'mine', {}, 7, {}, undefined, MEMORY_LINE, BAR_MODEL));
  const tickmark = (...argv: readonly string[]): Promise<CliRun> =>
    cliRun({ DATA_DIR: folder, MODELS_DIR: path.join(folder, 'models'), MODEL: 'mine' }, ...argv);
  const json = async (...argv: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, out, err } = await tickmark(...argv, '--json');
    expect([code, err]).to.deep.equal([0, '']);
    return JSON.parse(out) as Record<string, unknown>;
  };

  it('need to say what their timestamps are, and a refusal has both lines', async () => {
    for (const command of ['predict', 'replay', 'live']) {
      const { code, err } = await tickmark(command, opened, '--horizon', '30bars');
      expect(code).to.equal(2);
      expect(err).to.include('holds bars of 60 s and does not say what their timestamps are');
      for (const barTime of ['open', 'close'])
        expect(err).to.include(`tickmark ${command} ${opened} --horizon 30bars --bar-time ${barTime}`);
      expect(err).to.include('2026-01-05 00:00:00.000').and.include('it ends at 2026-01-05 00:01:00.000');
    }
  });

  it('are forecast by the model of bars, with what they have of the past, from their closes at their ends', async () => {
    const named = await json('predict', opened, '--horizon', '30m', '--bar-time', 'open');
    expect(named).to.include({ unit: 'bar', ticks: 500, last_tick: formatTimestamp(BARS.series.timesUs.at(-1)!, 6) });
    const detail = named['detail'] as { model: { head: string }; memory: { used: boolean } };
    expect([detail.model.head, detail.memory.used]).to.deep.equal(['1m/30m', true]);
    const { file: _a, ...rest } = await json('predict', ended, '--horizon', '30bars');
    const { file: _b, ...same } = named;
    const noTimes = (value: object): unknown =>
      JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === 'timings_ms' ? undefined : each)));
    expect(noTimes(rest)).to.deep.equal(noTimes(same));
    expect((await tickmark('predict', ended, '--horizon', '30m')).out).to.include(`the last 500 of 4,320 bars`);
  });

  it('are replayed from close to close without a delay', async () => {
    const { windows, unit, record } = (await json('replay', ended, '--horizon', '30bars')) as {
      windows?: number;
      unit: string;
      record: { windows: number; counted: number };
    };
    expect([windows, unit]).to.deep.equal([undefined, 'bar']);
    expect(record.windows).to.equal(Math.ceil((4320 - 499) / 30));
    expect(record.counted).to.be.above(100);
    const short = await tickmark('replay', ended, '--horizon', '30bars', '--every', '29m');
    expect(short.err).to.include('--every 29m lets outcomes overlap: it must be 30m or more');
  });

  it('have set-ups at the horizons of the model, and a warning where it cannot read them', async () => {
    const { code, out } = await tickmark('doctor', ended);
    expect(code).to.equal(0);
    expect(out)
      .to.include('Good: nothing to do.')
      .and.match(/\n  30m  500 bars; default threshold/);
    const daily = walkBars({ count: 1200, periodMs: 900_000 });
    const slow = await tickmark('doctor', put('slow.csv', table(daily, 'bar_end', 'close')));
    expect(slow.out).to.include('These are bars of 15 min; the model was trained on bars of 10 s to 5 min and answers null.');
  });

  it('are played by live, each at its end, with the forecasts of predict', async () => {
    const { code, out, err } = await tickmark('live', ended, '--horizon', '30bars', '--every', '6h', '--json');
    expect([code, err]).to.deep.equal([0, '']);
    const messages = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const made = messages.filter(({ type }) => type === 'forecast');
    expect(made.map(({ timestamp }) => timestamp)).to.deep.equal(
      Array.from({ length: 12 }, (_, i) => writeTimestamp(BARS.series.timesUs[0] + (6 + 6 * i) * 3600e6 - 60e6)),
    );
    expect(made.every(({ probability }) => typeof probability === 'number')).to.equal(true);
    const outcomes = messages.filter(({ type }) => type === 'outcome');
    expect(outcomes).to.have.lengthOf(11);
    const [{ move_bps: moveBps }] = outcomes as [{ move_bps: number }];
    const at = 6 * 60 - 1;
    expect(moveBps).to.be.closeTo(1e4 * Math.log(BARS.series.prices[at + 30] / BARS.series.prices[at]), 1e-6);
  });

  it('are doubted by live once, where the clock says that their timestamps were read wrong', async () => {
    const file = put('week.csv', table(walkBars({ count: 1300, periodMs: 300_000, nights: true }), 'date', 'close'));
    const live = (barTime: string): Promise<CliRun> =>
      tickmark('live', file, '--bar-time', barTime, '--horizon', '30m', '--every', '1h', '--json');
    const wrong = await live('open');
    expect(wrong.err).to.match(
      /^week: The timestamps were read as the beginnings of the bars\. They look like the ends: \d of \d sessions begin one bar after .*\n$/,
    );
    expect(wrong.out).to.include('"notes":["bar_time_doubtful"]');
    const right = await live('close');
    expect([right.err, right.out.includes('doubtful')]).to.deep.equal(['', false]);
  });

  it('are left out by live where they have not ended', async () => {
    const rows = readFileSync(ended, 'utf8').trim().split('\n');
    const last = rows.at(-1)!.split(',').slice(1).join();
    const cut = put('unfinished.csv', `${rows.join('\n')}\n${writeTimestamp(BARS.series.timesUs.at(-1)! + 23e6)},${last}\n`);
    const { code, err } = await tickmark('live', cut, '--horizon', '30bars', '--every', '12h');
    expect([code, err]).to.deep.equal([0, 'Left out: 1 bar that ended less than one bar after the one before.\n']);
  });

  it('are never called ticks, neither in an answer nor in a refusal', async () => {
    const rows = table(BARS, 'bar_end', 'close').trimEnd().split('\n');
    const few = put('few.csv', `${rows.slice(0, 101).join('\n')}\n`);
    const said: [argv: string[], text: string][] = [
      [['predict', ended, '--horizon', '30bars', '--explain'], 'Input: 500 bars, 500 distinct, median gap 1 min,'],
      [['predict', few, '--horizon', '30bars'], 'holds 100 bars;'],
      [['replay', few, '--horizon', '30bars'], 'holds 100 bars;'],
    ];
    for (const [argv, text] of said) {
      const { out, err } = await tickmark(...argv);
      expect(out + err, argv.join(' ')).to.include(text);
    }
  });

  it('are what a horizon in bars needs', async () => {
    const file = path.join(folder, 'ticks.csv');
    writeTicks(file, walkTicks({ seed: 1, count: 400 }));
    expect((await tickmark('predict', file, '--horizon', '3bars')).err).to.include('holds ticks, not bars');
    expect((await tickmark('predict', file, '--horizon', '0bars')).err).to.include('1 or more bars');
  });
});
