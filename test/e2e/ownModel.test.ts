import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import type { ModelsReport } from '../../training/evaluateModels.ts';
import { cliRun, type CliRun } from '../support/cliRun.ts';
import { writeTicks } from '../support/writeTicks.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** `answer(m, state)` of a window `m`, in JavaScript; `state.prices` are the ticks that were sent. */
const model = (answer: string): string => `
const fs = require('fs');
const state = { prices: [], outcomes: 0, asked: 0 };
const answer = (m) => { ${answer} };
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const m = JSON.parse(line);
  if (m.id === undefined) return state.prices.push(...m.prices);
  state.outcomes += m.outcomes.length;
  state.asked++;
  process.stdout.write(JSON.stringify({ id: m.id, probability: answer(m) }) + '\\n');
});`;

const MODELS: Readonly<Record<string, string>> = {
  honest: model('return Math.min(1, 0.1 + 0.0001 * state.outcomes + 0.00001 * (state.prices.length % 100));'),
  // Its answer depends on what it has left on the disk.
  disk: model(`const file = __filename + '.seen'; fs.appendFileSync(file, 'x'); return fs.statSync(file).size % 7 / 10;`),
  random: model('return Math.random();'),
  late: model('return state.asked > 100 ? NaN : 0.2;'),
  // Looks up the move in the file itself.
  file: model(`
    state.rows ??= fs.readFileSync(process.argv[2], 'utf8').trim().split('\\n').slice(1).map((row) => row.split(','))
      .map(([time, price]) => [Date.parse(time.replace(' ', 'T').slice(0, 23) + 'Z') * 1000, Number(price)]);
    const last = state.rows.findLast(([us]) => us <= m.time_us + 1000 * m.horizon_ms);
    const first = state.rows.find(([us]) => us >= m.time_us + 1e6);
    return last && first && 1e4 * Math.abs(Math.log(last[1] / first[1])) > m.threshold_bps ? 0.9 : 0.1;`),
};

describe('tickmark evaluate --model', function () {
  this.timeout(300_000);
  let folder: string;
  let ticks: string;
  before(() => {
    folder = temporaryFolder();
    ticks = path.join(folder, 'ticks.csv');
    writeTicks(ticks, syntheticTicks({ seed: 5, count: 12_000, medianGapMs: 1500 }));
    for (const [name, text] of Object.entries(MODELS)) writeFileSync(path.join(folder, `${name}.cjs`), text);
  });
  const command = (name: string): string => `node ${path.join(folder, `${name}.cjs`)} ${ticks}`;
  const evaluate = (...args: string[]): Promise<CliRun> =>
    cliRun({ DATA_DIR: path.join(folder, 'data') }, 'evaluate', ticks, '--horizons', '60s', '--workers', '1', ...args);

  it('names each model that leaks or fails, and evaluates the others on the same origins as the default version', async () => {
    const page = path.join(folder, 'page.html');
    const models = ['honest', 'disk', 'random', 'late', 'file'];
    const { code, out, err } = await evaluate(
      '--model',
      'tickmark',
      ...models.flatMap((name) => ['--model', command(name)]),
      '--json',
      '--report',
      page,
    );
    const { models: found, text, origins } = JSON.parse(out) as ModelsReport;
    expect(code, err).to.equal(1);
    const faults = Object.fromEntries(found.map(({ name, fault }) => [/(\w+)\.cjs/.exec(name)?.[1] ?? name, fault]));
    expect(faults['honest']).to.equal(null);
    expect(faults['disk']).to.match(/leak test: with the later ticks deleted, \d+ of \d+ answers change/);
    expect(faults['random']).to.match(/leak test: with the later ticks deleted, \d+ of \d+ answers change/);
    expect(faults['file']).to.match(/leak test: with the same ticks 52 weeks later, \d+ of \d+ answers change$/);
    expect(faults['late']).to.match(/answered window \d+ with null, which is no probability/);
    expect(found[0])
      .to.deep.include({ fault: null })
      .and.have.property('name')
      .that.matches(/^base-/);
    const honest = found.find(({ name }) => name.includes('honest'));
    expect(honest?.checks.map(({ name, holds }) => [name, holds])).to.deep.equal(
      ['Later ticks deleted', 'Another year', 'Random walk', 'Random walk with bounce', 'Permuted outcomes'].map((name) => [name, true]),
    );
    expect(origins).to.be.above(150);
    expect(text).to.include('| the base rate so far |').and.include('no figures');
    expect(readFileSync(page, 'utf8')).to.include('Models side by side').and.include('honest.cjs').and.include('Reliability');
  });

  it('evaluates the examples that need no more than numpy', async function () {
    const python = process.env['PYTHON'] ?? 'python3';
    if (spawnSync(python, ['-c', 'import numpy']).status !== 0) {
      process.stdout.write('    skipped: no python3 with numpy (PYTHON names another one)\n');
      this.skip();
    }
    const named = ['three_ewmas', 'har_rv', 'zero_shot_chronos'].map(
      (name) => `${python} ${path.resolve('examples/models', `${name}.py`)}`,
    );
    const { out, err } = await evaluate(...named.flatMap((name) => ['--model', name]), '--json');
    const { models } = JSON.parse(out) as ModelsReport;
    expect(
      models.map(({ fault }) => fault?.replace(/.*: skipped/, 'skipped') ?? null),
      err,
    ).to.deep.equal([...[null, null, 'skipped: CHRONOS_WEIGHTS names no folder of weights']]);
    for (const { checks } of models) expect(checks.filter(({ holds }) => !holds)).to.deep.equal([]);
  });

  it('evaluates a file of probabilities for the origins that it has written', async () => {
    const [origins, predictions] = [path.join(folder, 'origins.csv'), path.join(folder, 'mine.csv')];
    const written = await evaluate('--origins', origins);
    expect(written.code, written.err).to.equal(0);
    const [head, ...lines] = readFileSync(origins, 'utf8').trim().split('\n');
    expect(head).to.equal('series,timestamp,horizon_s,threshold_bps,set,moved');
    const train = lines.filter((line) => line.includes(',train,'));
    const test = lines.filter((line) => line.endsWith(',test,'));
    expect(train.length).to.be.above(50);
    expect(train.every((line) => /,train,[01]$/.test(line))).to.equal(true);
    expect(train.length + test.length).to.equal(lines.length);
    const predict = (rows: readonly string[], probability = '0.2'): Promise<CliRun> => {
      const body = rows.map((line) => `${line.replace(/,test,$/, '')},${probability}\n`);
      writeFileSync(predictions, `series,timestamp,horizon_s,threshold_bps,probability\n${body.join('')}`);
      return evaluate('--predictions', predictions);
    };
    const answered = await predict(test);
    expect([answered.code, answered.err.includes('rror')]).to.deep.equal([0, false]);
    expect(answered.out).to.match(/\| mine\.csv \| .* \| 0\.500 \|.*not possible \|/);
    const wrong: [rows: readonly string[], probability: string, expected: RegExp][] = [
      [test.slice(1), '0.2', /has no probability for 1 of \d+ tested origins; the first is ticks at 2024-/],
      [test, '1.2', /line 2: its probability is 1\.2, not a number from 0 to 1/],
      [test, '', /line 2: its probability is empty/],
      [[...test, test[0]], '0.2', /its origin has a probability already/],
      [test.map((line) => line.replace(/,[^,]*,test,$/, ',1,test,')), '0.2', /its threshold is 1, that of the origin/],
      [['x'], '0.2', /line 2: it has 2 values/],
    ];
    for (const [rows, probability, expected] of wrong) {
      const { code, out } = await predict(rows, probability);
      expect([code, expected.test(out)], out).to.deep.equal([1, true]);
    }
    writeFileSync(predictions, 'a,b\n');
    expect((await evaluate('--predictions', predictions)).out).to.include('has the header a,b');
  });

  const refused: [what: string, args: readonly string[], expected: RegExp][] = [
    ['bars', ['--model', 'cat', '--bars', '60'], /--bars is not possible/],
    ['a model that is named twice', ['--model', 'cat', '--model', 'cat'], /The model cat is named twice/],
    ['predictions that are not there', ['--predictions', '/no/such.csv'], /\/no\/such\.csv cannot be read/],
    ['origins that cannot be written', ['--origins', '/dev/null/o.csv'], /cannot be written/],
  ];
  for (const [what, args, expected] of refused)
    it(`refuses ${what}`, async () => {
      const { code, err } = await evaluate(...args);
      expect([code > 0, expected.test(err)], err).to.deep.equal([true, true]);
    });
});
