import { unlinkSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import type { ErrorCode } from '../../../../src/core/errorTable.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { dayFingerprints } from '../../../../training/data/dayFingerprints.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { type TickSeries, BLOCK_TICKS } from '../../../../src/ticks/TickSeries.ts';
import { describeSources, sourceOfSeries } from '../../../../training/data/readSources.ts';
import { type OpenSourcesOptions, openTickSources, type TickSource } from '../../../../training/data/TickSource.ts';
import { MAX_EQUAL_STAMPS, SummarySink } from '../../../../training/data/TickSummary.ts';
import { hasRealTicks, REAL_TICKS_DIR, REAL_TICKS_SKIPPED } from '../../../support/realTicks.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { writeTicks } from '../../../support/writeTicks.ts';

const ROW = '2024-03-01 09:30:00,1\n';
const START_US = Date.UTC(2024, 2, 1, 23, 59, 59) * 1000;

describe('openTickSources', () => {
  const folder = temporaryFolder();
  const at = (name: string): string => path.join(folder, name);

  const open = async (names: readonly string[], options: Partial<OpenSourcesOptions> = {}): Promise<TickSource[]> =>
    (await openTickSources(names.map(at), { groups: {}, workDir: folder, lookAheadS: 2, ...options })).sources;

  async function refusal(code: ErrorCode, ...of: Parameters<typeof open>): Promise<string> {
    const error: unknown = await open(...of).then(undefined, (thrown: unknown) => thrown);
    expect(error, String(error)).to.be.instanceOf(ServiceError).with.property('code', code);
    return (error as ServiceError).message;
  }

  it('has every tick in exactly one segment, with lead-in before it and look-ahead plus one tick after it', async () => {
    const ticks = fc.array(fc.tuple(fc.constantFrom(0, 0, 300, 700, 1000, 2000, 20_000, 900_000), fc.integer({ min: 1, max: 9 })), {
      minLength: 2,
      maxLength: 120,
    });
    const whole = fc.record({ ticks, maxSegmentTicks: fc.integer({ min: 1, max: 40 }), leadTicks: fc.nat(20), lookAheadS: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(whole, async ({ ticks: steps, ...options }) => {
        let us = START_US;
        const timesUs = Float64Array.from(steps, ([stepUs]) => (us += stepUs));
        const prices = Float64Array.from(steps, ([, price]) => price);
        writeTicks(at('drawn.csv'), { timesUs, prices });
        const [source] = await open(['drawn.csv'], options);
        let done = 0;
        for (const { series, from, to } of source?.segments() ?? []) {
          const first = done - from;
          const end = first + series.timesUs.length;
          expect(from).to.equal(Math.min(done, options.leadTicks));
          expect(series.timesUs.buffer).to.be.instanceOf(SharedArrayBuffer);
          expect([...series.timesUs]).to.deep.equal([...timesUs.slice(first, end)]);
          expect([...series.prices]).to.deep.equal([...prices.slice(first, end)]);
          done = first + to;
          const last = done - 1;
          const ms = (i: number): number => Math.floor(timesUs[i] / 1000);
          if (done < timesUs.length) expect(ms(done), 'one millisecond is in two segments').to.be.above(ms(last));
          const firstMs = ms(first + from);
          if (to - from > options.maxSegmentTicks) expect(ms(last), 'the segment is longer than necessary').to.equal(firstMs);
          const needed = timesUs.filter((stamp) => stamp <= timesUs[last] + options.lookAheadS * 1e6).length;
          expect(end).to.equal(Math.min(timesUs.length, needed + 1));
        }
        expect(done).to.equal(timesUs.length);
      }),
      { numRuns: 25 },
    );
  });

  it('gives the same fingerprints of days, bars, timestamps and figures as ticks in memory', async () => {
    const series = syntheticTicks({ seed: 2, count: 20_000, medianGapMs: 1000, startUs: START_US - 3_600e6 });
    writeTicks(at('made.csv'), series);
    const [source] = await open(['made.csv']);
    const expected = sourceOfSeries('made', series, 'made.csv');
    expect({ ...source, segments: null, file: null }).to.deep.equal({ ...expected, segments: null, file: null });
    expect(expected.days).to.deep.equal(dayFingerprints(series));
    expect(expected.days.map(({ day }) => day)).to.deep.equal(['2024-03-01', '2024-03-02']);
    expect([source?.file.name, source?.file.rows]).to.deep.equal(['made.csv', 20_000]);
    const [only, ...others] = expected.segments();
    expect([only?.series, only?.from, only?.to, others]).to.deep.equal([series, 0, 20_000, []]);
  });

  it('reports the figures that an independent computation gives', async () => {
    const series = syntheticTicks({ seed: 2, count: 5000 });
    const [report] = describeSources([sourceOfSeries('made', series, 'made.csv')]);
    const gapsMs = [...series.timesUs].map((us, i) => (us - (series.timesUs[i - 1] ?? us)) / 1000).slice(1);
    const apart = gapsMs.filter((gap) => gap > 0).sort((a, b) => a - b);
    expect(report?.medianGapS).to.be.closeTo((apart[apart.length >> 1] ?? 0) / 1000, 0.02 * (report?.medianGapS ?? 0));
    expect(report?.equalTimestampFraction).to.equal(gapsMs.filter((gap) => gap === 0).length / 5000);
    expect(report).to.include({ name: 'made', group: 'made', rows: 5000, days: 1, constant: false, from: '2024-01-02T00:00:00.612Z' });
  });

  it('reports a constant price and still reads the file', async () => {
    writeFileSync(at('flat.csv'), 'timestamp,price\n' + ROW.repeat(3));
    const sources = await open(['flat.csv']);
    expect(describeSources(sources)[0]).to.include({ constant: true, medianGapS: 0, equalTimestampFraction: 2 / 3, spanHours: 0 });
  });

  it('invalidates a segment when the next one is taken or the iteration ends, and gives two iterations separate memory', async () => {
    writeTicks(at('lent.csv'), syntheticTicks({ seed: 4, count: 300 }));
    const [source] = await open(['lent.csv'], { maxSegmentTicks: 100 });
    const kept: TickSeries[] = [];
    for (const { series } of source!.segments()) {
      for (const over of kept) expect(() => over.timesUs).to.throw('this segment is no longer valid');
      for (const { series: other } of source!.segments()) expect(other.prices.buffer).not.to.equal(series.prices.buffer);
      expect(structuredClone(series).prices).to.deep.equal(series.prices);
      kept.push(series);
    }
    expect(kept.length).to.be.above(2);
    expect(() => kept.at(-1)?.prices).to.throw('this segment is no longer valid');
  });

  it('refuses a file of bars, and says what reads it', async () => {
    const rows = Array.from({ length: 300 }, (_, i) => {
      const close = 100 + Math.sin(i);
      return `${new Date(START_US / 1000 + 60_000 * i).toISOString()},${close},${close + 1},${close - 1},${close}`;
    });
    for (const columns of ['date,open,high,low,close', 'open_time,close']) {
      const lines = rows.map((row) => (columns === 'open_time,close' ? row.split(',').slice(0, 2).join(',') : row));
      writeFileSync(at('candles.csv'), [columns, ...lines, ''].join('\n'));
      const refused = await open(['candles.csv']).catch((error: unknown) => error);
      expect(refused).to.have.property('code', 'command.invalid');
      expect(refused).to.have.property('message').that.includes('candles.csv holds bars of 60 s').and.includes('tickmark replay');
    }
  });

  it('reports that the tick file was removed', async () => {
    writeTicks(at('gone.csv'), syntheticTicks({ seed: 4, count: 300 }));
    const [source] = await open(['gone.csv']);
    unlinkSync(at(`cache/ticks/${source?.file.sha256}.ticks`));
    expect(() => [...source!.segments()])
      .to.throw('removed or changed during the run')
      .with.property('code', 'file.unreadable');
  });

  it('reads timestamps without a zone in the given zone, and caches the ticks of both readings', async () => {
    writeTicks(at('local.csv'), syntheticTicks({ seed: 4, count: 300 }));
    const hour = 3_600_000_000;
    const readings = [{}, { zone: '+01:00' }, { zone: 'EST' }, {}, { zone: '+01:00' }];
    const starts: number[] = [];
    for (const reading of readings) {
      const [source] = await open(['local.csv'], { reading });
      starts.push(source!.firstUs);
      for (const { series } of source!.segments()) expect(series.timesUs[0]).to.equal(source!.firstUs);
    }
    const [plain] = starts as [number];
    expect(starts.map((us) => (us - plain) / hour)).to.deep.equal([0, -1, 5, 0, -1]);
    const refused = await refusal('command.invalid', ['local.csv'], { reading: { zone: 'Mars/Olympus' } });
    expect(refused).to.include('The zone "Mars/Olympus" is unknown');
  });

  it('refuses bad files with file and line', async () => {
    const header = 'timestamp,price\n';
    const refused: [string, ErrorCode, string][] = [
      [header + ROW, 'training.too_little_data', 'holds one tick'],
      [header + ROW.repeat(9) + '2024-03-01 09:31:00,1,2\n', 'file.malformed', 'line 11: there are 3 fields'],
    ];
    for (const [content, code, grouped] of refused) {
      writeFileSync(at('bad.csv'), content);
      expect(await refusal(code, ['bad.csv']))
        .to.include(at('bad.csv'))
        .and.include(grouped);
    }
    expect(await refusal('file.unreadable', ['none.csv'])).to.include('no such file');
  });

  it('rejects more than a million ticks with one timestamp', () => {
    const sink = new SummarySink('still.csv');
    const block = new Float64Array(BLOCK_TICKS).fill(START_US);
    const feed = (): void => {
      for (let rows = 0; rows <= MAX_EQUAL_STAMPS; rows += BLOCK_TICKS) sink.add(block, block);
    };
    expect(feed).to.throw(ServiceError, 'still.csv, tick 1000001 is one of more than 1000000 with the same timestamp');
  });

  it('rejects one file, one instrument or the same ticks twice and names both', async () => {
    writeFileSync(at('a.csv'), 'timestamp,price\n' + ROW.repeat(2));
    writeFileSync(at('b.csv'), 'timestamp,price\n' + ROW.repeat(2));
    writeFileSync(at('c.csv.gz'), gzipSync('Timestamp,Price\r\n' + ROW.repeat(2)));
    expect(await refusal('command.invalid', ['a.csv', 'b.csv'])).to.equal(
      `${at('a.csv')} and ${at('b.csv')} contain the same ticks. Name only one of them.`,
    );
    expect(await refusal('command.invalid', ['a.csv', 'c.csv.gz'])).to.include(`${at('c.csv.gz')} contain the same ticks`);
    expect(await refusal('command.invalid', ['a.csv', 'x/a.csv.gz'])).to.include(`${at('x/a.csv.gz')} are both instrument a`);
    expect(await refusal('command.invalid', ['a.csv', 'x/../a.csv'])).to.include('is named twice');
  });

  it('rejects a copy with other dates or further days, and names both and the first day', async () => {
    const DAY = 86_400e6;
    const ticks = syntheticTicks({ seed: 11, count: 3000, startUs: 20_000 * DAY });
    const other = syntheticTicks({ seed: 12, count: 3000, startUs: 19_900 * DAY });
    const write = (name: string, parts: readonly TickSeries[]): void =>
      writeTicks(at(name), {
        timesUs: Float64Array.from(parts.flatMap(({ timesUs }) => [...timesUs])),
        prices: Float64Array.from(parts.flatMap(({ prices }) => [...prices])),
      });
    const moved = (days: number, price = 1): TickSeries => ({
      timesUs: ticks.timesUs.map((us) => us + days * DAY),
      prices: ticks.prices.map((each) => each * price),
    });
    const still = { timesUs: ticks.timesUs, prices: ticks.prices.map(() => 1.5) };
    write('dated.csv', [ticks]);
    for (const [name, parts] of [
      ['later.csv', [moved(200)]],
      ['earlier.csv', [moved(-7)]],
      ['longer.csv', [other, ticks]],
      ['mixed.csv', [other, moved(200)]],
    ] as const) {
      write(name, parts);
      const day = new Date(parts.at(-1)!.timesUs[0] / 1000).toISOString().slice(0, 10);
      expect(await refusal('command.invalid', ['dated.csv', name]))
        .to.include(`${at('dated.csv')} and ${at(name)} contain the same ticks`)
        .and.include(day);
    }
    write('scaled.csv', [moved(200, 2)]);
    write('still.csv', [still]);
    write('still2.csv', [{ ...still, timesUs: moved(7).timesUs }]);
    expect(await open(['dated.csv', 'scaled.csv', 'still.csv', 'still2.csv'])).to.have.lengthOf(4);
  });

  it('puts series that move together into one group with a note, and accepts groups by name or file', async () => {
    const base = syntheticTicks({ seed: 8, count: 4000 });
    writeTicks(at('one.csv'), base);
    writeTicks(at('two.csv'), { timesUs: base.timesUs.map((us) => us + 1000), prices: base.prices.map((price) => 2 * price) });
    writeTicks(at('far.csv'), syntheticTicks({ seed: 9, count: 4000 }));
    const files = ['one.csv', 'two.csv', 'far.csv'].map(at);
    const options = { workDir: folder, lookAheadS: 2 };
    const found = await openTickSources(files, { ...options, groups: {} });
    expect(found.sources.map(({ group }) => group)).to.deep.equal(['one+two', 'one+two', 'far']);
    expect(found.notes).to.have.length(1);
    expect(found.notes[0]).to.match(/^one and two move together \(r = (1\.00|0\.9\d) over \d+ bars of 5 s\): one group\.$/);
    const grouped = await openTickSources(files, { ...options, groups: { mine: ['one.csv', 'far'] } });
    expect(grouped.sources.map(({ group }) => group)).to.deep.equal(['mine', 'mine', 'mine']);
    expect(await refusal('command.invalid', ['one.csv', 'two.csv'], { groups: { g: ['twoo.csv'] } })).to.include('did you mean two?');
  });

  it('detects that two real series move together', async function () {
    if (!hasRealTicks) {
      process.stdout.write(`skipped: ${REAL_TICKS_SKIPPED}\n`);
      this.skip();
    }
    const names = ['crypto-btcusdt-binance', 'crypto-ethusdt-binance'];
    const files = names.map((name) => path.join(REAL_TICKS_DIR, `${name}.csv.gz`));
    const { sources, notes } = await openTickSources(files, { groups: {}, workDir: folder, lookAheadS: 2 });
    expect(new Set(sources.map(({ group }) => group))).to.deep.equal(new Set([names.join('+')]));
    expect(notes).to.deep.equal([`${names[0]} and ${names[1]} move together (r = 0.73 over 69 bars of 5 s): one group.`]);
  });
});
