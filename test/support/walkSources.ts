// A child process with a small heap and --expose-gc: opens tick files as sources sequentially, iterates over the segments of each and
// reports the peak memory of each: arrays after a collection, and the size of the process, both as growth since the start.
// Arguments: a folder for its cache, then `file=segmentTicks` for each.
import { openTickSources } from '../../training/data/TickSource.ts';

const [workDir = '', ...walks] = process.argv.slice(2);
const { gc } = globalThis as { gc?: () => void };
if (gc === undefined) throw new Error('start this program with --expose-gc');
gc();
// Node.js 24 has 8.5 MB of array buffers before a file is read.
const { rss: startBytes, arrayBuffers: startArrayBytes } = process.memoryUsage();
const seen = [];
for (const walk of walks) {
  const [file = '', segmentTicks] = walk.split('=');
  const peak = { rows: 0, segments: 0, arrayBytes: 0, grownBytes: 0 };
  const sample = (): void => {
    peak.grownBytes = Math.max(peak.grownBytes, process.memoryUsage().rss - startBytes);
    gc();
    // The memory of arrays is released in the background; a second collection waits for that.
    gc();
    peak.arrayBytes = Math.max(peak.arrayBytes, process.memoryUsage().arrayBuffers - startArrayBytes);
  };
  const sampling = setInterval(sample, 100);
  const options = { groups: {}, workDir, maxSegmentTicks: Number(segmentTicks), lookAheadS: 12 };
  const { sources } = await openTickSources([file], options);
  clearInterval(sampling);
  for (const { from, to } of sources[0]?.segments() ?? []) {
    peak.rows += to - from;
    if (peak.segments++ % 4 === 0) sample();
  }
  seen.push(peak);
}
process.stdout.write(JSON.stringify(seen));
