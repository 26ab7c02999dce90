import { ServiceError } from '../core/ServiceError.ts';
import { SeriesSink, type TickSeries } from '../ticks/TickSeries.ts';
import { streamTickFile } from '../ticks/streamTickFile.ts';
import { fileChunks, shownPath, STANDARD_INPUT } from './bytes/fileChunks.ts';
import type { ImportOptions, ImportReport, ImportSink } from './ImportReport.ts';
import { gunzipStream, NODE_DECODERS } from './bytes/nodeDecoders.ts';
import { importTicks } from './importTicks.ts';
import { peekBytes } from './bytes/unpack.ts';

/** The header that `streamTickFile` asks for, its line end included. */
const PLAIN = /^(?:\ufeff)?timestamp,(?:bid,ask|price)\r?\n/i;
const PLAIN_BYTES = 32;

export type AnyTickFile = {
  readonly rows: number;
  readonly sha256: string;
  readonly bytes: number;
  /** Undefined for tickmark's own CSV. */ readonly report: ImportReport | undefined;
};
export type AnyTickOptions = Pick<ImportOptions, 'zone' | 'dateOrder' | 'columns'>;

/**
 * The ticks of a file of any known format, or of standard input where the path is `-`, in time order. Tickmark's own CSV, gzipped or not, goes by `streamTickFile` and its strict rules,
 * everything else by `importTicks`. Throws what they throw, with the path as name.
 */
export async function streamAnyTickFile(path: string, sink: ImportSink, options: AnyTickOptions = {}): Promise<AnyTickFile> {
  const isNamed = options.zone !== undefined || options.columns !== undefined;
  // Standard input can be read only once.
  if (!isNamed && path !== STANDARD_INPUT && (await isPlain(path))) {
    const { rows, sha256, bytes } = await streamTickFile(path, sink);
    return { rows, sha256, bytes, report: undefined };
  }
  const file = await fileChunks(path);
  const report = await importTicks(file.chunks, sink, { name: file.name, ...NODE_DECODERS, ...options });
  return { rows: report.ticks, sha256: file.sha256(), bytes: file.bytes(), report };
}

export async function readAnyTickFile(
  path: string,
  options: AnyTickOptions = {},
): Promise<AnyTickFile & { readonly path: string; readonly series: TickSeries }> {
  const name = shownPath(path);
  const sink = new SeriesSink(name);
  const read = await streamAnyTickFile(path, sink, options);
  return { path: name, ...read, series: sink.takeSeries() };
}

async function isPlain(path: string): Promise<boolean> {
  const { chunks } = await fileChunks(path);
  const stored = await peekBytes(chunks, 2);
  const isGzip = stored.head[0] === 0x1f && stored.head[1] === 0x8b;
  const opened: AsyncIterable<Uint8Array>[] = [stored.chunks];
  try {
    if (isGzip) opened.unshift(gunzipStream(stored.chunks, path));
    const text = await peekBytes(opened[0]!, PLAIN_BYTES);
    opened.unshift(text.chunks);
    return PLAIN.test(new TextDecoder('utf-8', { ignoreBOM: true }).decode(text.head));
  } catch (error) {
    // A broken file is described by the reader that it goes to.
    if (error instanceof ServiceError && error.code === 'file.malformed') return false;
    throw error;
  } finally {
    await close(opened[0]!);
  }
}

/** Ends a stream of which only the beginning was wanted, and with it the file. */
async function close(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  // A generator that was not begun does not run its `finally`.
  await iterator.next().catch(() => undefined);
  await iterator.return?.();
}
