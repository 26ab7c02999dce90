import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { concludedOf } from '../../../../src/engine/scoring/conclusions.ts';
import { replayText, type Replay } from '../../../../src/cli/forecast/forecastText.ts';
import { formatTimestamp } from '../../../../src/ticks/timestamps.ts';
import { cliRun, type CliRun } from '../../../support/cliRun.ts';
import { saveSmallModel } from '../../../support/saveSmallModel.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { walkTicks } from '../../../support/walkTicks.ts';
import { writeTicks } from '../../../support/writeTicks.ts';

describe('tickmark replay', () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'walk.csv');
  const replay = (...argv: string[]): Promise<CliRun> => replayFile(file, ...argv);
  const replayFile = (name: string, ...argv: string[]): Promise<CliRun> =>
    cliRun({ DATA_DIR: folder, MODELS_DIR: path.join(folder, 'models'), MODEL: 'small', RUNTIME_BACKEND: 'wasm' }, 'replay', name, ...argv);
  before(async () => {
    await saveSmallModel(path.join(folder, 'models'), 'small');
    writeTicks(file, walkTicks({ seed: 3, count: 1500 }));
  });

  it('prints a record with the base rate, and writes a line for each window', async () => {
    const windowsFile = path.join(folder, 'windows.csv');
    const { code, out, err } = await replay('--horizon', '10s', '--ticks', '300', '--windows', windowsFile);
    expect(code, err).to.equal(0);
    expect(out)
      .to.match(/^Base rate +\d+ of \d+, [\d.]+ %/m)
      .and.match(/ of the base rate so far: skill .*too little for an interval/m);
    const [header, ...lines] = readFileSync(windowsFile, 'utf8').trimEnd().split('\n');
    expect(header!.split(',')).to.have.lengthOf(9);
    const { record } = JSON.parse((await replay('--horizon', '10s', '--ticks', '300', '--json')).out) as Replay;
    expect(lines).to.have.lengthOf(record.windows);
    expect(record.counted).to.be.above(20);
    expect(lines.filter((line) => line.split(',')[7] === '1')).to.have.lengthOf(record.baseRate.count);
  });

  it('says how often the prices at the threshold were reached, next to a normal price', async () => {
    for (const threshold of [[], ['--min-move-bps', '0.5']]) {
      const { record, touch } = JSON.parse(
        (await replay('--horizon', '10s', '--ticks', '300', '--touch', '--json', ...threshold)).out,
      ) as Replay;
      expect(touch!.levels).to.be.within(2, 2 * record.windows);
      expect(touch!.deciles.map(({ levels }) => levels).reduce((a, b) => a + b)).to.equal(touch!.levels);
      expect(touch!.deciles.map(({ probability }) => probability)).to.deep.equal(
        touch!.deciles.map(({ probability }) => probability).toSorted((a, b) => a - b),
      );
      expect(touch!.baseline.windows).to.equal(touch!.levels);
    }
    const { out } = await replay('--horizon', '10s', '--ticks', '300', '--touch');
    expect(out)
      .to.match(/^Touches +\d+ of \d+ levels at the threshold .* were reached, [\d.]+ %/m)
      .and.match(/of a normal price with EWMA volatility: skill /);
    expect((await replay('--horizon', '10s')).out).to.not.include('Touches');
    const orders = await replay('--horizon', '10s', '--touch', 'limit');
    expect([orders.code, orders.err]).to.satisfy(
      ([code, err]: [number, string]) => code === 2 && err.includes('--touch is limit, but') && err.includes('has no bid and ask'),
    );
    expect((await replay('--horizon', '10s', '--touch', 'market')).err).to.include('limit or stop or mid');
  });

  it('reaches prices by bid and ask where an order is named', async () => {
    const quotes = path.join(folder, 'quotes.csv');
    const { timesUs, prices } = walkTicks({ seed: 3, count: 1500 });
    const lines = Array.from(timesUs, (us, i) => `${formatTimestamp(us, 6)},${prices[i] - 0.0001},${prices[i] + 0.0001}`);
    writeFileSync(quotes, `timestamp,bid,ask\n${lines.join('\n')}\n`);
    const reached = async (...order: string[]): Promise<number> => {
      const { code, out, err } = await replayFile(quotes, '--horizon', '10s', '--min-move-bps', '1.5', '--json', '--touch', ...order);
      expect(code, err).to.equal(0);
      return (JSON.parse(out) as Replay).touch!.reached;
    };
    const [limit, usual, mid, stop] = [await reached('limit'), await reached(), await reached('mid'), await reached('stop')];
    expect(usual).to.equal(limit);
    expect(limit).to.be.below(mid);
    expect(stop).to.be.above(mid);
  });

  it('takes the last windows only, and refuses what would let outcomes overlap', async () => {
    const { out } = await replay('--horizon', '10s', '--last', '5', '--json');
    expect((JSON.parse(out) as Replay).record.windows).to.equal(5);
    const { code, err } = await replay('--horizon', '10s', '--every', '5s');
    expect(code, err).to.equal(2);
    expect(err).to.include('--every 5s lets outcomes overlap: it must be 11s or more');
    const short = await replay('--horizon', '10s', '--ticks', '2000');
    expect(short.code).to.equal(1);
    expect(short.err)
      .to.include('holds 1,500 ticks; a window takes 2000.')
      .and.include('a smaller number with --ticks, 199 at least.')
      .and.not.include('errors');
  });

  it('uses shorter windows for a short file, and says how many ticks are missing', async () => {
    const short = path.join(folder, 'short.csv');
    writeTicks(short, walkTicks({ seed: 3, count: 400 }));
    const { code, out, err } = await replayFile(short, '--horizon', '10s', '--json');
    expect(code, err).to.equal(0);
    expect((JSON.parse(out) as Replay).ticks).to.equal(199);
    writeTicks(short, walkTicks({ seed: 3, count: 150 }));
    const refused = await replayFile(short, '--horizon', '1s');
    expect(refused.err).to.include('1s: no move can be counted').and.include('What to do: Give a longer file.');
  });

  it('says first whether it would have paid, and proposes the probability that a wish needs', async () => {
    const file = path.join(folder, 'paid.csv');
    writeTicks(file, walkTicks({ seed: 5, count: 4000 }));
    const run = await replayFile(file, '--horizon', '10s', '--ticks', '200', '--min-move-bps', '2', '--mark-share', '0.2');
    expect(run.code, run.err).to.equal(0);
    expect(run.out).to.match(/^Would it have paid\? /);
    expect(run.out)
      .to.include('as many by the volatility baseline')
      .and.include('marked from')
      .and.include('For marks on 20 % of the windows');
    const both = await replayFile(file, '--horizon', '10s', '--mark-share', '0.2', '--hit-rate', '0.5');
    expect([both.code === 0, both.err.includes('--mark-share and --hit-rate')]).to.deep.equal([false, true]);
  });

  it('takes the median spread of quotes as the cost, and refuses a file without one', async () => {
    const quotes = path.join(folder, 'quotes.csv');
    const { timesUs, prices } = walkTicks({ seed: 3, count: 1500 });
    const rows = Array.from(timesUs, (us, at) => `${formatTimestamp(us)},${prices[at] * 0.9999},${prices[at] * 1.0001}`);
    writeFileSync(quotes, ['Timestamp,Bid,Ask', ...rows].join('\n'));
    const { code, out, err } = await replayFile(quotes, '--horizon', '10s', '--last', '3', '--min-move-bps', 'cost', '--json');
    expect(code, err).to.equal(0);
    expect((JSON.parse(out) as Replay).minMoveBps).to.be.closeTo(2, 1e-6);
    const none = await replay('--horizon', '10s', '--min-move-bps', 'cost');
    expect([none.code, none.err.includes('walk.csv has no bid and ask')]).to.deep.equal([2, true]);
  });

  it('says no more than its figures allow', () => {
    const share = (count: number, of: number, low: number, high: number) => ({
      count,
      of,
      share: count / of,
      interval90: [low, high] as const,
    });
    const text = (hits: ReturnType<typeof share>, interval: readonly [number, number] | null, left = {}): string => {
      const one = { windows: 100, model: 0.2, rival: 0.21, skill: 0.05, skillInterval95: interval, clusters: 20, by: 'hour' } as const;
      const skill = {
        baseline: one,
        base_rate: { ...one, rival: 0.22, skill: 0.09 },
        rival: 'baseline',
        conclusion: concludedOf(interval),
      } as const;
      const record = {
        windows: 100,
        counted: 100,
        left,
        marked: share(20, 100, 0, 1),
        hits,
        baseRate: share(30, 100, 0, 1),
        nulls: {},
        skill,
        payoff: null,
        ranges: [],
      };
      return replayText({ minMoveBps: null, file: 'f', rows: 1, model: 'm', ticks: 200, horizonUs: 1e6, fromUs: 0, toUs: 1, record });
    };
    expect(text(share(12, 20, 0.42, 0.75), [0.01, 0.09])).to.include(
      'beyond chance. The probabilities were better than the recalibrated volatility baseline',
    );
    expect(text(share(7, 20, 0.2, 0.5), [-0.01, 0.09])).to.include(
      'no more can be said from so few. The probabilities cannot be told apart from',
    );
    expect(text(share(1, 20, 0.01, 0.2), [-0.1, -0.01])).to.include('less often than the base rate. The probabilities were worse than');
    expect(text(share(12, 20, 0.42, 0.75), null, { trained_on: 3 }))
      .to.include('too little for an interval')
      .and.include('3 the version was trained on these ticks');
  });
});
