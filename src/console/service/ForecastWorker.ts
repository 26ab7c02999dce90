import type { FormOptions } from '../FormOptions.ts';
import { mapColumns } from '../ticks/TickSeries.ts';
import type { Window } from '../ticks/readFuture.ts';
import type { EngineOrder, ForecastOrder, FromForecast, PageAnswer } from '../worker/replayMessages.ts';
import { Failure } from './failureText.ts';

type Waiting = { resolve(forecast: PageAnswer): void; reject(failure: Failure): void };

/** Single forecasts by the engine of the page, in one worker that the first of them starts. */
export class ForecastWorker {
  readonly #url: string;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #asked = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** No forecast where the service has to answer. Rejects with Failure. */
  forecast({ series, horizonMs }: Window, options: FormOptions, engine: EngineOrder): Promise<PageAnswer> {
    // A view would take all ticks of its file with it.
    const ticks = mapColumns(series, (values) => values.slice());
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const order = { kind: 'forecast', id, window: { series: ticks, horizonMs }, options, ...engine } as const;
      (this.#worker ??= this.#open()).postMessage(order satisfies ForecastOrder);
    });
  }

  #open(): Worker {
    const worker = new Worker(this.#url, { type: 'module', name: 'engine' });
    worker.addEventListener('message', ({ data }: MessageEvent<FromForecast>) => {
      const asker = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.kind === 'forecast') asker?.resolve(data.forecast);
      else asker?.reject(new Failure(data.failure.message, data.failure));
    });
    // It could not be loaded, or the browser stopped it.
    worker.addEventListener('error', () => {
      worker.terminate();
      this.#worker = undefined;
      for (const { resolve } of this.#waiting.values()) resolve(null);
      this.#waiting.clear();
    });
    return worker;
  }
}
