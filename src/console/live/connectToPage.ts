import { LiveConnection } from '../../../clients/typescript/src/live/LiveConnection.ts';
import type { WebSocketLike } from '../../../clients/typescript/src/live/WebSocketLike.ts';
import { stoppedText } from '../worker/stoppedText.ts';
import type { ConnectOrder, EngineOrder, FromConnect, LiveText } from '../worker/replayMessages.ts';

export type PageLive = { readonly feed: LiveConnection; readonly version: string };

/** A live connection to the engine of the page, in a worker of its own; null where the service has to answer. */
export async function connectToPage(workerUrl: string, engine: EngineOrder): Promise<PageLive | null> {
  const worker = new Worker(workerUrl, { type: 'module', name: 'live' });
  const lost = new AbortController();
  const version = await new Promise<string | null>((resolve) => {
    worker.addEventListener('message', ({ data }: MessageEvent<FromConnect>) => data.kind === 'connected' && resolve(data.version));
    worker.addEventListener('error', (event) => {
      resolve(null);
      lost.abort(new Error(`The stream has ended: ${stoppedText(event)}`));
    });
    worker.postMessage({ kind: 'connect', ...engine } satisfies ConnectOrder);
  });
  if (version === null) {
    worker.terminate();
    return null;
  }
  /** A socket whose other end is the worker. */
  class WorkerSocket implements WebSocketLike {
    readonly readyState = 1;
    readonly bufferedAmount = 0;
    onopen: (() => void) | null = null;
    onmessage: ((event: { readonly data: string }) => void) | null = null;
    onclose = null;
    onerror = null;
    readonly send = (text: string): void => worker.postMessage({ kind: 'live', text } satisfies LiveText);
    readonly close = (): void => worker.terminate();

    constructor() {
      worker.addEventListener(
        'message',
        ({ data }: MessageEvent<FromConnect>) => data.kind === 'live' && this.onmessage?.({ data: data.text }),
      );
      queueMicrotask(() => this.onopen?.());
    }
  }
  const options = { WebSocket: WorkerSocket, signal: lost.signal };
  return { feed: new LiveConnection({ url: '', apiKey: '', random: Math.random, options }), version };
}
