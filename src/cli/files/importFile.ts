import { systemClock } from '../../core/Clock.ts';
import { fileChunks } from '../../import/fileChunks.ts';
import type { ImportOptions, ImportReport } from '../../import/ImportReport.ts';
import type { ImportSink } from '../../import/ImportSink.ts';
import { importTicks } from '../../import/importTicks.ts';
import { NODE_DECODERS } from '../../import/nodeDecoders.ts';
import { ProgressLine } from '../ProgressLine.ts';

/** When progress first shows, and how often it is updated. */
const FIRST_MS = 1000;
const EVERY_MS = 200;

/** Imports one file to a sink; shows progress on standard error if it takes longer than 1 s. Throws what `importTicks` throws. */
export async function importFile(
  path: string,
  sink: ImportSink,
  options: Omit<ImportOptions, 'name' | 'onProgress'>,
  err: (text: string) => void,
): Promise<ImportReport> {
  const { chunks, size, name } = await fileChunks(path);
  const line = new ProgressLine(err, process.stderr.isTTY === true, systemClock.nowMs);
  let nextMs = systemClock.nowMs() + FIRST_MS;
  const onProgress = (bytes: number): void => {
    const nowMs = systemClock.nowMs();
    if (nowMs < nextMs) return;
    nextMs = nowMs + EVERY_MS;
    const progress = size === 0 ? `${Math.round(bytes / 1e6)} MB` : `${Math.round((100 * bytes) / size)} % of ${Math.round(size / 1e6)} MB`;
    line.show(`${name}: ${progress} read`, true);
  };
  try {
    return await importTicks(chunks, sink, { ...options, name, onProgress, ...NODE_DECODERS });
  } finally {
    line.end();
  }
}
