import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

const CHILD = path.resolve(import.meta.dirname, '../../../support/walkSources.ts');
const TICKS_PER_SECOND = 20;
const TICKS_PER_HOUR = 3600 * TICKS_PER_SECOND;
const BYTES_PER_TICK = 16;
const SEGMENT_TICKS = 24_000;

type Peak = { rows: number; segments: number; arrayBytes: number; heldBytes: number };

/** Hours of trades, 20 per second: the text of one hour with another hour in each timestamp. */
function writeHours(file: string, hours: number): void {
  const two = (value: number): string => String(value).padStart(2, '0');
  let hour = '';
  for (let tick = 0; tick < TICKS_PER_HOUR; tick++) {
    const second = Math.floor(tick / TICKS_PER_SECOND);
    const ms = ((tick % TICKS_PER_SECOND) * 1000) / TICKS_PER_SECOND;
    hour += `@:${two(Math.floor(second / 60))}:${two(second % 60)}.${String(ms).padStart(3, '0')},${100 + ((second * 7 + ms) % 50) / 100}\n`;
  }
  const fd = openSync(file, 'w');
  writeSync(fd, 'timestamp,price\n');
  for (let i = 0; i < hours; i++) writeSync(fd, hour.replaceAll('@', new Date(Date.UTC(2024, 0, 2, i)).toISOString().slice(0, 13)));
  closeSync(fd);
}

describe('memory of reading', () => {
  const folder = temporaryFolder();

  it('does not grow with the file, neither while reading it nor while iterating over its segments', () => {
    const [few, many] = [1, 12];
    const [fewFile, manyFile] = [path.join(folder, 'few.csv'), path.join(folder, 'many.csv')];
    writeHours(fewFile, few);
    writeHours(manyFile, many);
    const wholeBytes = many * TICKS_PER_HOUR * BYTES_PER_TICK;
    // The last run has the whole file in memory, to prove that the measurement detects it.
    const walks = [`${fewFile}=${SEGMENT_TICKS}`, `${manyFile}=${SEGMENT_TICKS}`, `${manyFile}=${many * TICKS_PER_HOUR}`];
    const flags = ['--import', 'tsx', '--expose-gc', '--max-old-space-size=96'];
    const output = execFileSync(process.execPath, [...flags, CHILD, path.join(folder, 'cache'), ...walks], { encoding: 'utf8' });
    const [short, long, whole] = JSON.parse(output) as [Peak, Peak, Peak];
    expect([short.rows, long.rows, whole.rows]).to.deep.equal([few, many, many].map((hours) => hours * TICKS_PER_HOUR));
    expect([long.segments, whole.segments]).to.deep.equal([(many * TICKS_PER_HOUR) / SEGMENT_TICKS, 1]);
    expect(whole.arrayBytes, output).to.be.above(0.9 * wholeBytes);
    expect(long.arrayBytes, output).to.be.below(wholeBytes / 2);
    // Samples may include a few read buffers; only a part that grows with the file is a fault.
    expect(long.arrayBytes - short.arrayBytes, output).to.be.below(wholeBytes / 2);
    expect(long.heldBytes - short.heldBytes, output).to.be.below(wholeBytes / 2);
  });
});
