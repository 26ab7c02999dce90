// A child process with a small heap and --expose-gc: opens tick files as sources sequentially, iterates over the segments of each and
// reports the peak memory of each after a collection: arrays, and all that is held, both as growth since the start. When Node.js collects, and so
// the size of the process, is its own affair.
// Arguments: a folder for its cache, then `file=segmentTicks` for each.
import { openTickSources } from '../../training/data/TickSource.ts';

const [workDir = '', ...walks] = process.argv.slice(2);
const { gc } = globalThis as { gc?: () => void };
if (gc === undefined) throw new Error('start this program with --expose-gc');
gc();
// Node.js 24 has 8.5 MB of array buffers before a file is read.
const { heapUsed, external, arrayBuffers: startArrayBytes } = process.memoryUsage();
const startBytes = heapUsed + external;
const seen = [];
for (const walk of walks) {
  const [file = '', segmentTicks] = walk.split('=');
  const peak = { rows: 0, segments: 0, arrayBytes: 0, heldBytes: 0 };
  const sample = (): void => {
    gc();
    // The memory of arrays is released in the background; a second collection waits for that.
    gc();
    const now = process.memoryUsage();
    peak.arrayBytes = Math.max(peak.arrayBytes, now.arrayBuffers - startArrayBytes);
    peak.heldBytes = Math.max(peak.heldBytes, now.heapUsed + now.external - startBytes);
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
