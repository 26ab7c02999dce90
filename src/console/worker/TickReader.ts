import { stoppedText } from './stoppedText.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';
import type { FileReport, FromWorker, ReadOptions, ReadOrder } from './messages.ts';

/** The last ticks of a file that are kept: 16 MB, and 32 MB of quotes. Larger files are streamed. */
const KEPT_TICKS = 1_000_000;

type ReadResult =
  | { readonly series: TickSeries; readonly report: FileReport }
  | { readonly refused: string; readonly ways: readonly string[] };

export type Reading = {
  /** Never settles once it was stopped. */
  readonly done: Promise<ReadResult>;
  stop(): void;
};

/** Reads tick files in a worker, so that the page stays responsive. Stopping a file ends its worker. */
export class TickReader {
  readonly #url: string;
  #lastId = 0;

  constructor(workerUrl: string) {
    this.#url = workerUrl;
  }

  /**
   * `options`: the reading begins when they are there; must not reject. `onProgress`: bytes read and ticks found, some times a second.
   */
  read(file: Blob, name: string, options: Promise<ReadOptions>, onProgress: (bytes: number, ticks: number) => void): Reading {
    const worker = new Worker(this.#url, { type: 'module', name: 'tick reader' });
    const id = ++this.#lastId;
    const done = new Promise<ReadResult>((resolve) => {
      const end = (result: ReadResult): void => {
        worker.terminate();
        resolve(result);
      };
      worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
        if (data.kind === 'progress') onProgress(data.bytes, data.ticks);
        else if (data.kind === 'refused') end({ refused: data.message, ways: data.ways });
        else end({ series: data.series, report: data.report });
      });
      worker.addEventListener('error', (event) => end({ refused: `${name} could not be read: ${stoppedText(event)}`, ways: [] }));
    });
    // A worker that ended meanwhile loses the message, as intended.
    void options.then((told) => worker.postMessage({ id, file, name, keep: KEPT_TICKS, ...told } satisfies ReadOrder));
    return { done, stop: () => worker.terminate() };
  }
}
