import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ForecastDetail } from '../../../src/contract/forecastDetail.ts';
import { readTickFile } from '../../../src/ticks/import/streamTickFile.ts';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';
import { cliRun } from '../../support/cliRun.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { builtFolder } from '../../support/tickmarkProcess.ts';
import { walkTicks } from '../../support/walkTicks.ts';
import { writeTicks } from '../../support/writeTicks.ts';
import { TICK_FORMATS } from '../../support/tickFormats.ts';

const START_US = Date.UTC(2024, 0, 9, 9) * 1000;
const QUOTES = Array.from({ length: 400 }, (_, i) => ({
  us: START_US + i * 60_000_000,
  bid: 1.1 + ((i * 7) % 11) / 1e4,
  ask: 1.10001 + ((i * 7) % 11) / 1e4,
}));

const everySecond = (quotes: typeof QUOTES): typeof QUOTES => quotes.map((quote, i) => ({ ...quote, us: START_US + i * 1e6 }));

const runCli = (...argv: string[]) => cliRun({}, ...argv);

describe('files on the command line', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();

  const put = (name: string, content: string | Uint8Array): string => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  const spelled = (name: string): string =>
    put(name.replaceAll(/\W/g, '-'), TICK_FORMATS.find((spelling) => spelling.name === name)!.write(QUOTES));

  it('reads a gzip of several members, as cat a.gz b.gz makes it, on every Node.js', async () => {
    const lines = QUOTES.slice(0, 300).map(({ us, bid }) => `${us / 1000},${bid}\n`);
    const members = ['epoch,price\n', ...[0, 150].map((from) => lines.slice(from, from + 150).join(''))].map((text) => gzipSync(text));
    const file = put('members.csv.gz', Buffer.concat(members));
    const { rows, series } = await readTickFile(file);
    expect([rows, series.timesUs.at(-1)]).to.deep.equal([300, QUOTES[299].us]);
    expect((await runCli('import', file, '--out', path.join(folder, 'members.csv'))).code).to.equal(0);
    expect(readFileSync(path.join(folder, 'members.csv'), 'utf8').trimEnd().split('\n')).to.have.lengthOf(301);
    const cut = put('cut.csv.gz', Buffer.concat(members).subarray(0, -30));
    expect((await runCli('import', cut, '--out', path.join(folder, 'cut.csv'))).err).to.include('the gzip data end too early');
  });

  for (const name of ['MetaTrader 5 ticks', 'zip', 'Parquet', 'HistData bars']) {
    it(`writes ${name} as CSV that reads back to the same ticks`, async () => {
      const file = spelled(name);
      const target = path.join(folder, `${name.replaceAll(' ', '-')}.csv.gz`);
      const { code, out } = await runCli('import', file, '--out', target);
      expect([code, out.includes(`Written: ${target}, 400 ${name.endsWith('bars') ? 'bars' : 'ticks'}`)]).to.deep.equal([0, true]);
      const [written, imported] = [await readTickFile(target), await readTickFile(file)];
      expect([written.series.timesUs, written.series.prices]).to.deep.equal([imported.series.timesUs, imported.series.prices]);
      expect(written.report.kind).to.equal(imported.report.kind);
      expect(written.bars).to.deep.equal(imported.bars);
    });
  }

  it('keeps bid and ask of quotes', async () => {
    const target = path.join(folder, 'quotes.csv.gz');
    await runCli('import', spelled('TrueFX'), '--out', target);
    expect(gunzipSync(readFileSync(target)).toString().split('\n').slice(0, 2)).to.deep.equal([
      'timestamp,bid,ask',
      '2024-01-09 09:00:00.000,1.1,1.10001',
    ]);
  });

  it('does not replace a file unasked, and leaves nothing half-written behind', async () => {
    const target = put('there.csv', 'mine');
    const refused = await runCli('import', spelled('tabs'), '--out', target);
    expect([refused.code, refused.err.includes('--force'), readFileSync(target, 'utf8')]).to.deep.equal([1, true, 'mine']);
    const bad = put('bad.csv', `time,price\n${'2024-01-02 09:00:00,1.5\n'.repeat(300)}2024-01-02 08:00:00,1.5\n`);
    const failed = await runCli('import', bad, '--out', path.join(folder, 'new.csv'));
    expect([failed.code, failed.err.includes('line 302'), existsSync(path.join(folder, 'new.csv'))]).to.deep.equal([1, true, false]);
  });

  it('joins files that follow each other and refuses those that do not', async () => {
    const half = TICK_FORMATS[0];
    const [first, second] = [put('a.csv', half.write(QUOTES.slice(0, 200))), put('b.csv', half.write(QUOTES.slice(200)))];
    const target = path.join(folder, 'joined.csv');
    expect((await runCli('import', first, second, '--out', target)).code).to.equal(0);
    expect((await readTickFile(target)).rows).to.equal(400);
    expect((await runCli('import', second, first, '--out', target, '--force')).err).to.include('Name the files in time order');
  });

  it('says as JSON what a file is', async () => {
    const { out } = await runCli('import', spelled('Binance bookTicker'), '--json');
    const { files } = JSON.parse(out) as { files: Record<string, unknown>[] };
    expect(files[0]).to.include({
      format: 'binance-bookticker',
      kind: 'quotes',
      ticks: 400,
      first: '2024-01-09 09:00:00.000000',
      verdict: 'good',
    });
  });

  it('looks a file over and ends with 1 where it cannot be used, with 0 where the clean copy can', async () => {
    const lines = new TextDecoder().decode(TICK_FORMATS[0].write(everySecond(QUOTES))).split('\n');
    [lines[10], lines[11]] = [lines[11], lines[10]];
    const file = put('dirty.csv', lines.join('\n'));
    const looked = await runCli('doctor', file);
    expect([looked.code, looked.out.includes('fails  order.step_back'), looked.out.includes('Not usable as it is')]).to.deep.equal([
      1,
      true,
      true,
    ]);
    const mended = await runCli('doctor', file, '--fix', '--json');
    expect(mended.code).to.equal(0);
    const { fixed } = JSON.parse(mended.out) as { fixed: { file: string; ticks: number; changes: string[] } };
    expect(fixed).to.deep.equal({
      file: path.join(folder, 'dirty.clean.csv'),
      ticks: 400,
      changes: ['1 row put in order'],
      kept: [],
    });
    expect((await readTickFile(fixed.file)).rows).to.equal(400);
    expect((await runCli('doctor', fixed.file)).code).to.equal(0);
  });

  it('tries set-ups with the ticks that a live series has at each horizon', async () => {
    const file = path.join(folder, 'walk.csv');
    writeTicks(file, walkTicks({ seed: 6, count: 2500 }));
    const { setups } = JSON.parse((await runCli('doctor', file, '--json')).out) as {
      setups: { horizons: { horizon_s: number; ticks: number }[] };
    };
    const ticks = Object.fromEntries(setups.horizons.map(({ horizon_s: horizonS, ticks: count }) => [horizonS, count]));
    expect(ticks).to.include({ 10: 500, 60: 500 });
  });

  it('tries windows of 199 ticks where a file has no more, and names them where they are too short', async () => {
    const file = path.join(folder, 'short.csv');
    writeTicks(file, walkTicks({ seed: 6, count: 199 }));
    const { out } = await runCli('doctor', file);
    expect(out)
      .to.match(/10s +199 ticks; default threshold/)
      .and.match(/30m +not useful: even 199 ticks of this file are too short a time for this horizon/);
  });

  it('leaves a row that cannot be read out of the clean copy, and says which it was', async () => {
    const lines = new TextDecoder().decode(TICK_FORMATS[0].write(QUOTES)).split('\n');
    for (const [name, broken] of [
      ['price', lines[100].replace(/[^,]*$/, 'abc')],
      ['width', `${lines[100]},5,6`],
      ['stamp', lines[100].replace(/^[^,]*/, 'yesterday')],
      ['day', lines[100].replace(/2024-01-09/, '2024-02-30')],
      ['size', lines[100].replace(/[^,]*$/, '2e13')],
    ] as const) {
      const file = put(`bad-${name}.csv`, lines.map((line, i) => (i === 100 ? broken : line)).join('\n'));
      const imported = await runCli('import', file);
      expect([imported.code, imported.err.includes('line 101')], name).to.deep.equal([1, true]);
      expect(imported.err, name)
        .to.match(/What to do: .*[.]\n$/)
        .and.not.include('the message names');
      const fixed = await runCli('doctor', file, '--fix');
      expect(
        [fixed.code, /fails {2}row\.malformed +1 row is not readable, the first in line 101: the(re)? /.test(fixed.out)],
        name,
      ).to.deep.equal([0, true]);
      expect(fixed.out, name).to.include('399 ticks; 1 row that cannot be read left out.');
      expect((await runCli('import', path.join(folder, `bad-${name}.clean.csv`))).code, name).to.equal(0);
    }
    expect((await runCli('doctor', path.join(folder, 'bad-width.csv'))).code).to.equal(1);
    expect((await runCli('doctor', path.join(folder, 'bad-width.clean.csv'))).code).to.equal(0);
  });

  it('refuses a file of which more than a hundredth cannot be read', async () => {
    const lines = new TextDecoder().decode(TICK_FORMATS[0].write(QUOTES)).split('\n');
    const file = put('ruin.csv', lines.map((line, i) => (i > 0 && i % 50 === 0 ? line.replace(/[^,]*$/, 'abc') : line)).join('\n'));
    const { code, err } = await runCli('doctor', file, '--fix');
    expect([
      code,
      err.includes('8 of 400 rows cannot be read; of the first one, in line 51, the price "abc" is not a number'),
    ]).to.deep.equal([1, true]);
    expect(existsSync(path.join(folder, 'ruin.clean.csv'))).to.equal(false);
  });

  it('keeps equal trades, which are normal, and leaves out rows that were exported twice', async () => {
    const rowsOf = (repeats: (i: number) => number, row: (i: number) => string): string =>
      Array.from({ length: 300 }, (_, i) => `${row(i)}\n`.repeat(repeats(i))).join('');
    const trade = (i: number): string => `${new Date(START_US / 1000 + i * 1000).toISOString()},${1.1 + ((i * 7) % 11) / 1e4},0.5`;
    const genuine = put('genuine.csv', `time,price,size\n${rowsOf((i) => 1 + (i % 4), trade)}`);
    const normal = await runCli('doctor', genuine, '--fix');
    expect(normal.code).to.equal(0);
    expect(normal.out).to.match(
      /note {3}row\.repeated +450 rows are byte for byte the row before, the first in line 4 \(60 % of all rows\), which is normal/,
    );
    expect(normal.out).to.not.match(/row\.repeated.*\n +What to do/);
    expect(normal.out).to.include('750 ticks; nothing had to be changed');
    const twice = put('twice.csv', `time,price,size\n${rowsOf(() => 2, trade)}`);
    const doubled = await runCli('doctor', twice, '--fix');
    expect(doubled.out).to.match(
      /warns {2}row\.repeated +300 rows .*\(50 % of all rows\): nearly every row occurs twice\.\n +What to do: /,
    );
    expect(doubled.out).to.include('300 ticks; 300 repeated rows left out');
    const numbered = put(
      'numbered.csv',
      `id,time,price\n${rowsOf(
        (i) => (i === 200 ? 2 : 1),
        (i) => `${7000 + 3 * i},${trade(i).replace(/,0\.5$/, '')}`,
      )}`,
    );
    const once = await runCli('doctor', numbered, '--fix');
    expect(once.out).to.include('(0.33 % of all rows); each row has its own number').and.include('300 ticks; 1 repeated row left out');
  });

  it('reads odd columns by --columns: names, numbers, date and time apart, quotes and bars', async () => {
    const stamp = (i: number): string => new Date(START_US / 1000 + i * 60_000).toISOString().replace('T', ' ').slice(0, 23);
    const write = (name: string, header: string, row: (i: number) => string): string =>
      put(name, `${header}\n${Array.from({ length: 300 }, (_, i) => row(i)).join('\n')}\n`);
    const price = (i: number): number => 100 + ((i * 7) % 11) / 100;
    const german = write('kurs.csv', 'Datum;Uhrzeit;Kurs;Stück', (i) => {
      const [day = '', time = ''] = stamp(i).split(' ');
      return `${day.split('-').reverse().join('.')};${time.replace('.', ',')};${String(price(i)).replace('.', ',')};${i + 1}`;
    });
    const cases: [string, string, number][] = [
      [german, 'date=Datum,time=Uhrzeit,price=Kurs', 0],
      [german, 'date=1,time=2,price=3', 0],
      [
        write('when.csv', 'Id,When (UTC),Last Price,Volume', (i) => `${i},${stamp(i)},${price(i)},5`),
        'time=When (UTC),price=Last Price',
        0,
      ],
      [write('comma.csv', '"a, b",z', (i) => `${stamp(i)},${price(i)}`), 'time=a, b,price=z', 0],
      [write('asian.csv', '時間,価格,量', (i) => `${stamp(i)},${price(i)},${i}`), 'time=時間,price=価格', 0],
      [write('schluss.csv', 'Beginn,Erster,Schluss', (i) => `${stamp(i)},1,${price(i)}`), 'time=Beginn,close=Schluss', 60_000_000],
    ];
    for (const [file, columns, shiftUs] of cases) {
      const target = path.join(folder, 'mapped.csv');
      const { code, err } = await runCli('import', file, '--columns', columns, '--out', target, '--force');
      expect(code, `${columns}: ${err}`).to.equal(0);
      const { series } = await readTickFile(target);
      expect([series.timesUs[1], series.prices[1]], columns).to.deep.equal([START_US + 60_000_000 + shiftUs, price(1)]);
    }
    const sides = write('sides.csv', 'T,Geld,Brief', (i) => `${stamp(i)},${price(i)},${price(i) + 0.01}`);
    expect((await readTickFile(sides, { columns: { time: 'T', bid: 'Geld', ask: 'Brief' } })).report?.kind).to.equal('quotes');
    const unknown = await runCli('predict', german, '--horizon', '60s', '--columns', 'time=Uhrzeit,price=Preis');
    expect([unknown.code, unknown.err.includes('has no column "Preis"; its columns are Datum, Uhrzeit, Kurs, Stück.')]).to.deep.equal([
      2,
      true,
    ]);
    for (const argv of [
      ['doctor', german],
      ['predict', german, '--horizon', '120s', '--ticks', '250'],
    ])
      expect((await runCli(...argv, '--columns', 'date=Datum,time=Uhrzeit,price=Kurs')).code, argv[0]).to.equal(0);
  });

  it('observes the spread of the last ticks of a file with bid and ask, and takes it as the threshold', async () => {
    const { timesUs, prices } = walkTicks({ seed: 6, count: 800 });
    // Wider before the window.
    const rows = [...prices].map((price, i) => {
      const half = price * (i < 300 ? 1e-3 : 1e-4);
      return `${formatTimestamp(timesUs[i], 3)},${price - half},${price + half}\n`;
    });
    const quotes = path.join(folder, 'quotes.csv');
    writeFileSync(quotes, `timestamp,bid,ask\n${rows.join('')}`);
    const ask = ['--horizon', '60s', '--ticks', '500', '--min-move-bps'];
    const { out } = await runCli('predict', quotes, ...ask, 'cost', '--json');
    const { opportunity, input } = (JSON.parse(out) as { detail: ForecastDetail }).detail;
    expect(opportunity.min_move_bps).to.equal(input.cost_bps).and.be.closeTo(2, 1e-6);
    expect((await runCli('predict', quotes, ...ask, '1.9')).out).to.include('that is less than the spread of 2 bps');
    expect((await runCli('predict', quotes, ...ask, '2.1')).out).to.not.include('spread');
    const trades = path.join(folder, 'trades.csv');
    writeTicks(trades, { timesUs, prices });
    const refused = await runCli('predict', trades, ...ask, 'cost');
    expect([refused.code, refused.err.includes('the ticks have no Bid and Ask')], refused.err).to.deep.equal([1, true]);
    const checked = await runCli('doctor', quotes, '--json');
    const { setups } = JSON.parse(checked.out) as { setups: { spread_bps: number; horizons: { median_move_bps: number | null }[] } };
    expect(setups.spread_bps).to.be.closeTo(2, 1e-6);
    expect(setups.horizons[0].median_move_bps).to.be.above(0);
    expect((await runCli('doctor', quotes)).out).to.match(/^Spread: 2 bps\. /m);
    expect((await runCli('doctor', trades)).out).to.not.include('Spread');
  });

  it('reads standard input for predict and replay', () => {
    const file = put('piped.csv', TICK_FORMATS[0].write(QUOTES));
    const main = path.join(builtFolder(), 'src', 'main.js');
    for (const argv of [
      ['predict', '-', '--horizon', '120s', '--json'],
      ['replay', '-', '--horizon', '120s', '--ticks', '200', '--last', '5', '--json'],
    ]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...argv], { input: readFileSync(file), encoding: 'utf8' });
      expect([status, stderr], argv[0]).to.deep.equal([0, '']);
      expect(JSON.parse(stdout), argv[0]).to.include({ file: 'standard input', rows: 400 });
    }
  });

  it('leaves spikes and crossed quotes out of the clean copy, says how many, and finds none there', async () => {
    const quotes = QUOTES.map((quote, i) => ({
      ...quote,
      ...(i === 300 || i === 301 ? { bid: quote.bid * 1.05, ask: quote.ask * 1.05 } : {}),
    }));
    quotes[250] = { ...quotes[250], bid: quotes[250].ask, ask: quotes[250].bid };
    // Comes back to a price that would be a spike of its own, seen from the price before the first one.
    quotes[350] = { ...quotes[350], bid: 1.32, ask: 1.32001 };
    quotes[351] = { ...quotes[351], bid: 1.14, ask: 1.14001 };
    const file = put('spiky.csv', TICK_FORMATS[0].write(quotes));
    const mended = await runCli('doctor', file, '--fix', '--json');
    const { fixed } = JSON.parse(mended.out) as { fixed: { file: string; ticks: number; changes: string[]; kept: string[] } };
    expect(fixed).to.deep.include({
      ticks: 395,
      changes: ['1 quote with a bid above the ask left out', '4 ticks on spikes left out'],
      kept: [],
    });
    const { notes } = JSON.parse((await runCli('doctor', fixed.file, '--json')).out) as { notes: { code: string }[] };
    expect(notes.map(({ code }) => code))
      .to.not.include.members(['price.spike'])
      .and.not.include.members(['quote.crossed']);
    const again = await runCli('doctor', fixed.file, '--fix', path.join(folder, 'again.csv'));
    expect(again.out).to.include('nothing had to be changed');
    expect(readFileSync(path.join(folder, 'again.csv'))).to.deep.equal(readFileSync(fixed.file));
  });

  it('turns a file from newest to oldest round, in the clean copy too', async () => {
    const file = put('newest.csv', TICK_FORMATS[0].write([...QUOTES].reverse()));
    const { code, out } = await runCli('doctor', file, '--fix');
    expect([code, out.includes('400 ticks; 1 newest-first file reversed.')]).to.deep.equal([0, true]);
    expect((await readTickFile(path.join(folder, 'newest.clean.csv'))).series.timesUs[0]).to.equal(START_US);
  });

  it('keeps crossed quotes that are more than a hundredth of the ticks, and refuses as many spikes, and says what that looks like', async () => {
    const swapped = put('swapped.csv', TICK_FORMATS[0].write(QUOTES.map(({ us, bid, ask }) => ({ us, bid: ask, ask: bid }))));
    const { code, out } = await runCli('doctor', swapped, '--fix');
    expect([code, out.includes('400 ticks; nothing had to be changed')]).to.deep.equal([0, true]);
    expect(out).to.include('Kept: 400 quotes with a bid above the ask, 100 % of the ticks');
    expect(out).to.include('bid and ask have changed places');
    const mixed = QUOTES.map((quote, i) => (i > 210 && i % 20 === 0 ? { ...quote, bid: 2, ask: 2.00001 } : quote));
    const kept = await runCli('doctor', put('mixed.csv', TICK_FORMATS[0].write(mixed)), '--fix');
    expect(kept.err).to.include('9 ticks jump away').and.include('so many are no slips (2.3 % of the ticks)');
    expect([kept.code, existsSync(path.join(folder, 'mixed.clean.csv'))]).to.deep.equal([1, false]);
  });

  it('tells of bars that are sparser than what the model was trained on', async () => {
    const hours = QUOTES.map((quote, i) => ({ ...quote, us: START_US + i * 3_600_000_000 * 12 }));
    const { out } = await runCli('doctor', put('sparse.csv', TICK_FORMATS[0].write(hours)));
    expect(out).to.include('density.untrained');
  });

  it('takes --fix without a file as wrong usage', async () => {
    expect((await runCli('doctor', '--fix')).code).to.equal(2);
  });

  it('reads any format for a forecast, and the zone that is named', async () => {
    const file = spelled('tabs');
    const [plain, zoned] = [await readTickFile(file), await readTickFile(spelled('blanks, no header'), { zone: '+01:00' })];
    expect((plain.series.timesUs[0] - zoned.series.timesUs[0]) / 3_600_000_000).to.equal(1);
  });
});
