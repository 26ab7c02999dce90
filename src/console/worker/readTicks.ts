import { stoppedText } from './stoppedText.ts';
import type { FromWorker, ReadOptions, ReadOrder } from './messages.ts';

/** The last ticks of a file that are kept: 16 MB, and 32 MB of quotes. Larger files are streamed. */
const KEPT_TICKS = 1_000_000;

export type Reading = {
  /** Never settles once it was stopped. */
  readonly done: Promise<Exclude<FromWorker, { readonly kind: 'progress' }>>;
  stop(): void;
};

/**
 * Reads a tick file in a worker of its own, so that the page stays responsive. `options`: the reading begins when they are there; must not reject.
 * `onProgress`: bytes read and ticks found, some times a second.
 */
export function readTicks(
  workerUrl: string,
  { file, name }: { readonly file: Blob; readonly name: string },
  options: Promise<ReadOptions>,
  onProgress: (bytes: number, ticks: number) => void,
): Reading {
  const worker = new Worker(workerUrl, { type: 'module', name: 'tick reader' });
  const done: Reading['done'] = new Promise((resolve) => {
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === 'progress') return onProgress(data.bytes, data.ticks);
      worker.terminate();
      resolve(data);
    });
    worker.addEventListener('error', (event) => {
      worker.terminate();
      resolve({ kind: 'refused', message: `${name} could not be read: ${stoppedText(event)}`, ways: [] });
    });
  });
  // A worker that ended meanwhile loses the message, as intended.
  void options.then((told) => worker.postMessage({ file, name, keep: KEPT_TICKS, ...told } satisfies ReadOrder));
  return { done, stop: () => worker.terminate() };
}
