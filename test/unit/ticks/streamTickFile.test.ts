import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ServiceError } from '../../../src/core/ServiceError.ts';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';
import { readTickFile, streamTickFile } from '../../../src/ticks/streamTickFile.ts';
import { syntheticTicks } from '../../../src/ticks/syntheticTicks.ts';
import { MAX_LINE_BYTES, TickLines } from '../../../src/ticks/TickLines.ts';
import { BLOCK_TICKS, type TickSink } from '../../../src/ticks/TickSeries.ts';

const NOWHERE: TickSink = { add() {} };

describe('streamTickFile', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-stream-'));
  const file = path.join(folder, 'ticks.csv');
  after(() => rmSync(folder, { recursive: true }));

  it('returns the same ticks as readTickFile, in blocks of one size and a shorter last one', async () => {
    for (const count of [1, BLOCK_TICKS, BLOCK_TICKS + 1]) {
      const series = syntheticTicks({ seed: 5, count });
      const rows = Array.from(series.prices, (price, i) => `${formatTimestamp(series.timesUs[i] ?? 0)},${price}\n`);
      writeFileSync(file, gzipSync('timestamp,price\n' + rows.join('')));
      const lengths: number[] = [];
      const [timesUs, prices]: number[][] = [[], []];
      const sink: TickSink = {
        add(blockUs, blockPrices) {
          lengths.push(blockUs.length);
          timesUs?.push(...blockUs);
          prices?.push(...blockPrices);
        },
      };
      const streamed = await streamTickFile(file, sink);
      const whole = await readTickFile(file);
      expect(lengths).to.deep.equal(count > BLOCK_TICKS ? [BLOCK_TICKS, 1] : [count]);
      expect([timesUs, prices]).to.deep.equal([[...whole.series.timesUs], [...whole.series.prices]]);
      expect([streamed.rows, streamed.sha256, streamed.kind]).to.deep.equal([whole.rows, whole.sha256, 'trades']);
    }
  });

  it('passes an exception of its sink on', async () => {
    writeFileSync(file, 'timestamp,price\n2024-03-01 09:30:00,1\n');
    const sink: TickSink = {
      add() {
        throw new ServiceError('file.unwritable', 'the disk is full');
      },
    };
    const error = await streamTickFile(file, sink).then(undefined, (thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ServiceError).with.property('code', 'file.unwritable');
  });

  it('refuses a line of 1 GB after 64 KiB', async () => {
    writeFileSync(file, 'timestamp,price\n2024-03-01 09:30:00,1\n2024-03-01 09:30:01,');
    truncateSync(file, 2 ** 30);
    const error = await streamTickFile(file, NOWHERE).then(undefined, (thrown: unknown) => thrown);
    expect((error as Error).message).to.match(/ticks\.csv, line 3 contains a NUL byte/);
  });

  it('refuses a line without end after 64 KiB, in chunks of any size', () => {
    for (const size of [1000, 4096, 300_000]) {
      const lines = new TickLines('endless.csv', NOWHERE);
      lines.add(Buffer.from('timestamp,price\n2024-03-01 09:30:00,1\n'));
      const chunk = Buffer.alloc(size, '1');
      let given = 0;
      const feed = (): never => {
        for (;;) {
          given += size;
          lines.add(chunk);
        }
      };
      expect(feed).to.throw(ServiceError, 'endless.csv, line 3 is longer than 65536 bytes');
      expect(given).to.be.at.most(MAX_LINE_BYTES + size);
    }
  });
});
