import { importFile, refusalOf } from './importFile.ts';
import type { FromWorker, ReadOrder, Refusal } from './messages.ts';
import { TickRing } from './TickRing.ts';

/** The part of a dedicated worker's scope that is used here; the DOM types of the page lack it. */
type Scope = {
  addEventListener(type: 'message', listener: (event: MessageEvent<ReadOrder>) => void): void;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
};
const scope = globalThis as unknown as Scope;

const PROGRESS_MS = 100;

/** The file was changed or removed after it was chosen: browsers throw different errors for it. */
class GoneError extends Error {}

/** The bytes of the file in chunks, with progress messages. Throws GoneError. */
async function* chunksOf(file: Blob, onBytes: (bytes: number) => void): AsyncIterable<Uint8Array> {
  const reader = file.stream().getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new GoneError(String(cause), { cause });
    });
    if (done) return;
    yield value;
    bytes += value.length;
    onBytes(bytes);
  }
}

async function read({ file, name, keep, ...options }: ReadOrder): Promise<void> {
  const ring = new TickRing(keep);
  let toldMs = performance.now();
  const onBytes = (bytes: number): void => {
    const nowMs = performance.now();
    if (nowMs - toldMs < PROGRESS_MS) return;
    toldMs = nowMs;
    scope.postMessage({ kind: 'progress', bytes, ticks: ring.count });
  };
  try {
    const found = await importFile(chunksOf(file, onBytes), name, ring, options);
    const series = ring.toSeries();
    const report = { ticks: ring.count, bytes: file.size, ...found };
    const { timesUs, prices, quotes, bars } = series;
    const sides = quotes === undefined ? [] : [quotes.bids, quotes.asks];
    const columns = [timesUs, prices, ...sides, ...Object.values(bars?.ranges ?? {})];
    scope.postMessage(
      { kind: 'done', series, report },
      columns.map(({ buffer }) => buffer as ArrayBuffer),
    );
  } catch (error) {
    scope.postMessage({ kind: 'refused', ...refusal(error, name) });
  }
}

function refusal(error: unknown, name: string): Refusal {
  const gone = `${name} can no longer be read. Was it moved or changed? Choose it again.`;
  const other = `${name} could not be read: ${error instanceof Error ? error.message : String(error)}`;
  return refusalOf(error) ?? { message: error instanceof GoneError ? gone : other, ways: [] };
}

scope.addEventListener('message', ({ data }) => void read(data));
