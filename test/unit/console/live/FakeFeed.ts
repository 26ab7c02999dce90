import type { Bar, LiveMessage, Tick } from '../../../../clients/typescript/src/index.ts';
import type { LiveFeed } from '../../../../src/console/live/LiveSession.ts';
import type { WatchFeed } from '../../../../src/console/live/WatchSession.ts';

/** A feed whose messages a test puts in, and whose calls it reads. */
export class FakeFeed implements LiveFeed, WatchFeed {
  readonly calls: string[] = [];
  /** The forecasts of the last series that was opened. */
  opened: Parameters<LiveFeed['open']>[0]['forecasts'] = [];
  pushed = 0;
  lastTick: Tick | undefined;
  /** Of the last series that was opened. */
  bars: Parameters<LiveFeed['open']>[0]['bars'];
  readonly pushedBars: Bar[] = [];
  #waiting: { readonly message: LiveMessage | null; readonly error?: unknown }[] = [];
  #wake = (): void => {};

  open(request: Parameters<LiveFeed['open']>[0]): void {
    this.opened = request.forecasts;
    this.bars = request.bars;
    this.calls.push(
      `open ${request.series} ${request.forecasts.map(({ horizon, every, minMoveBps }) => `${horizon}/${every}/${minMoveBps}`).join()}`,
    );
  }

  push(_series: string, ticks: Parameters<LiveFeed['push']>[1]): number {
    const listed = [ticks].flat() as Tick[];
    this.pushed += listed.length;
    this.lastTick = listed.at(-1);
    return 0;
  }

  pushBars(_series: string, bars: readonly Bar[]): number {
    this.pushedBars.push(...bars);
    return 0;
  }

  ask(_series: string, { horizon, touch }: Parameters<LiveFeed['ask']>[1]): void {
    this.calls.push(`ask ${horizon} ${touch!.join()}`);
  }

  score(): void {
    this.calls.push('score');
  }

  watch(): void {
    this.calls.push('watch');
  }

  closeSeries(): void {
    this.calls.push('closeSeries');
  }

  close(): void {
    this.calls.push('close');
    this.#waiting.push({ message: null });
    this.#wake();
  }

  /** Resolves when the session has read the message. */
  async give(...messages: (LiveMessage | Error)[]): Promise<void> {
    for (const message of messages) this.#waiting.push(message instanceof Error ? { message: null, error: message } : { message });
    this.#wake();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveMessage> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (next.error !== undefined) throw next.error;
      else if (next.message === null) return;
      else yield next.message;
    }
  }
}
