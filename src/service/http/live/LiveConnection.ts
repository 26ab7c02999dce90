import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { ClientMessage, CloseCode, ServerMessage } from '../../../contract/live.ts';
import { fieldProblem, invalidRequest, quoteValue, ServiceError } from '../../../core/ServiceError.ts';
import type { DeskMessage, DeskOwner, DeskSeries } from '../../../engine/live/DeskOwner.ts';
import type { TickForecast } from '../../../engine/forecast/Forecaster.ts';
import { LiveDesk } from '../../../engine/live/LiveDesk.ts';
import { errorMessage, typeOf, unknownType } from '../../../engine/live/liveMessages.ts';
import { type DueForecast, type LiveSeries, OutcomeBudget } from '../../../engine/live/LiveSeries.ts';
import { seriesBytes } from '../../../engine/live/seriesBytes.ts';
import { FORECAST_BYTES, LEARN_BYTES, STORE_BYTES } from '../../admission/IterationBudget.ts';
import type { SeriesForecast } from '../../live/ForecastEvents.ts';
import { SeriesRecord } from '../../live/SeriesRecord.ts';
import { medianSpreadBps } from '../../../ticks/tickColumns.ts';
import { publicError } from '../failures.ts';
import { parseJsonBody } from '../parseJsonBody.ts';
import { closeSocket } from './closeSocket.ts';
import { ConnectionWatch } from './ConnectionWatch.ts';
import { LiveForecasts } from './LiveForecasts.ts';
import { LiveMemory } from '../../live/LiveMemory.ts';
import { LiveOutbox } from './LiveOutbox.ts';
import { LIVE_CODES, type LiveCaller, type LiveShared } from './LiveShared.ts';

/** Forecasts that fall due, and ticks that are added, before a connection waits for its place in an iteration. */
const MOST_DUE = 8;
const MOST_PUSHED = 250;
/** Refused messages in a row after which the connection is closed: a client that does not read the errors repeats them without end. */
export const MOST_REFUSED = 100;
/** Above this number of unsent bytes, forecasts are skipped. */
const SLOW_BYTES = 1024 * 1024;
/** Skipped forecasts are reported together. */
const STATUS_MS = 1000;

/** One WebSocket whose caller is known: reads its messages in order, one at a time, for a desk of live series. */
export class LiveConnection {
  readonly caller: LiveCaller;
  readonly #shared: LiveShared;
  readonly #socket: WebSocket;
  readonly #outbox: LiveOutbox;
  readonly #forecasts: LiveForecasts;
  readonly #desk: LiveDesk<LiveMemory>;
  /** What alerts are told of the forecasts of a series, until their outcomes are known; the series bounds their number. */
  readonly #told = new WeakMap<LiveSeries, Map<string, SeriesForecast>>();
  readonly #inbox: Buffer[] = [];
  readonly #watch: ConnectionWatch;
  #isWorking = false;
  /** Messages that were refused since the last good one. */
  #refused = 0;
  /** Forecasts that fell due, and ticks that were added, since the last wait for an iteration. */
  #due = 0;
  #pushed = 0;
  #isClosed = false;

  /** `stream`: what the socket writes to. `name`: of the connection. */
  constructor(socket: WebSocket, stream: Duplex, caller: LiveCaller, shared: LiveShared, name: string) {
    this.#socket = socket;
    this.#outbox = new LiveOutbox(socket, stream, () => this.end(1013));
    this.caller = caller;
    this.#shared = shared;
    this.#forecasts = new LiveForecasts(shared, caller.identity);
    this.#desk = new LiveDesk(this.#owner());
    this.#watch = new ConnectionWatch(shared.watch, socket, { keyId: caller.identity.keyId, name }, this.#desk.series);
  }

  /** A frame. Messages are handled in order; while one waits for its forecasts, the socket is not read. */
  receive(data: RawData, isBinary: boolean): void {
    if (isBinary) {
      this.end(1003);
      return;
    }
    this.#inbox.push(data as Buffer);
    if (this.#isWorking) this.#socket.pause();
    else void this.#work();
  }

  /** The service stops. */
  goAway(): void {
    this.#send({ type: 'status', code: 'going_away', detail: 'The service stops; connect again and send the last ticks again.' });
    this.end(1001);
  }

  end(code: CloseCode): void {
    closeSocket(this.#socket, code, this.#shared.deps.clock);
    this.close();
  }

  /** The socket has closed: what is pending is counted as unscored. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#inbox.length = 0;
    this.#forecasts.close();
    const closed = this.#desk.close();
    for (const { series, name, memory } of closed) {
      void memory?.store(series);
      this.#watch.publish({ type: 'closed', series: name }, true);
    }
    this.#watch.leave();
    if (closed.length > 0) this.#shared.parts().trackRecord.storeSoon();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    // A message that waits for nothing is handled at once, so that those read together with it do not pause the socket.
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) {
      const wait = this.#shared.iterations.take(this.caller.identity.accountId, next.length);
      if (wait !== undefined) await wait;
      if (this.#isClosed) break;
      const handled = this.#read(next);
      if (handled !== undefined) await handled;
    }
    this.#isWorking = false;
    if (!this.#isClosed) this.#socket.resume();
  }

  /** Never throws; undefined: nothing to wait for. */
  #read(bytes: Buffer): Promise<void> | undefined {
    let message: unknown;
    const refuse = (thrown: unknown): void => this.#refuse(thrown, message);
    try {
      message = parseJsonBody(bytes);
      const handled = this.#handle(message)?.then(this.#accepted, refuse);
      if (handled === undefined) this.#accepted();
      return handled;
    } catch (thrown) {
      refuse(thrown);
      return undefined;
    }
  }

  readonly #accepted = (): void => {
    this.#refused = 0;
  };

  #refuse(thrown: unknown, message: unknown): void {
    if (this.#isClosed) return;
    const error = publicError(thrown, LIVE_CODES);
    const id = randomUUID();
    this.#shared.deps.onProblem(error.code);
    if (error.code === 'internal.unexpected') this.#shared.deps.logger.error('live message failed', { id, error: thrown });
    this.#send(errorMessage(error, id, message));
    if (++this.#refused >= MOST_REFUSED) this.end(1008);
  }

  #handle(message: unknown): Promise<void> | undefined {
    const type = typeOf(message);
    if (type === undefined) throw unknownType(message);
    if (type === 'auth')
      throw invalidRequest([fieldProblem('/type', 'message.type_unknown', 'auth was sent already, or a key is in the header.')]);
    const checked = this.#shared.deps.checks.live[type](message) as DeskMessage | ClientMessage<'watch'>;
    if (checked.type === 'close')
      return this.#desk.handle(checked)?.then(() => this.#watch.publish({ type: 'closed', series: checked.series }, true));
    if (checked.type !== 'watch') return this.#desk.handle(checked);
    this.#watch.begin();
    this.#send({ type: 'watched', copies: [], dropped: 0 });
    return undefined;
  }

  #owner(): DeskOwner<LiveMemory> {
    const { deps, options, iterations, budget, parts } = this.#shared;
    const { accountId } = this.caller.identity;
    const outcomes = new OutcomeBudget(options.live.pendingOutcomes);
    const record = new SeriesRecord(accountId, () => parts().trackRecord, deps.clock);
    return {
      ...{ limits: options.live, accountId, rates: parts().rates },
      send: (message) => this.#send(message),
      compute: (request, call) => this.#forecasts.compute(request, call),
      skippedAs: (thrown) => this.#forecasts.failed(thrown),
      onSkip: () => deps.onLive?.('skipped'),
      soon: (run) => deps.clock.after(STATUS_MS, run),
      outcomes: () => outcomes,
      admit: ({ model, plans, bars }) => {
        if (model !== undefined && parts().models.find(model) === undefined)
          throw new ServiceError('model.unknown', `No model ${quoteValue(model)} is loaded.`);
        const free = budget.take(accountId, seriesBytes(plans, bars !== undefined));
        iterations.spend(STORE_BYTES);
        return free;
      },
      readMemory: (message) => this.#memoryOf(message),
      pace: () => this.#pace(),
      isSlow: () => this.#socket.bufferedAmount > SLOW_BYTES,
      onDue: (open) => {
        this.#due++;
        // Those who watch see the tick of each forecast.
        this.#watch.publishChange(open, false, false);
      },
      // Before the series gets the answer, which may settle it.
      onForecast: (open, due, forecast) => {
        deps.onLive?.('computed');
        this.#made(open, due, forecast);
      },
      onOutcome: ({ series }, { plan, n, moved, moveBps }) => {
        const forecast = this.#told.get(series)?.get(`${plan.id} ${n}`);
        this.#told.get(series)?.delete(`${plan.id} ${n}`);
        if (forecast !== undefined && moved !== null && moveBps !== null) parts().forecastEvents.settled(forecast, { moved, moveBps });
      },
      onTally: ({ name }, plan, version, tally, originUs) => record.add(name, plan, version, tally, originUs),
      onSealable: ({ name }, of, moved) => record.seal(name, of, moved),
      onClosed: async ({ series, memory }) => {
        iterations.spend(STORE_BYTES);
        await memory?.store(series);
        parts().trackRecord.storeSoon();
      },
    };
  }

  /** Reports a forecast that concerns alerts. */
  #made(
    { name, series }: DeskSeries<LiveMemory>,
    { plan, n, window, futureUs }: DueForecast,
    { mark, summary, outlook }: TickForecast,
  ): void {
    const { model, probability, minMoveBps } = summary;
    const { forecastEvents } = this.#shared.parts();
    const of = { accountId: this.caller.identity.accountId, series: name, isMarked: mark === 1, futureUs };
    if (probability === null || minMoveBps === null || !forecastEvents.wants(of)) return;
    const forecast = {
      ...{ ...of, model, probability, minMoveBps },
      ...{ lastUs: window.timesUs.at(-1)!, lastPrice: window.prices.at(-1)! },
      ownThreshold: plan.options.minMoveBps !== undefined,
      costBps: (window.spreadsBps && medianSpreadBps(window.spreadsBps)) ?? null,
      touch: outlook?.touch?.levels,
    };
    const told = this.#told.get(series) ?? new Map<string, SeriesForecast>();
    this.#told.set(series, told.set(`${plan.id} ${n}`, forecast));
    forecastEvents.made(forecast);
  }

  /** Undefined: no memory is wanted. Throws ServiceError `request.invalid` for a memory of another kind. */
  #memoryOf({ series, model, memory, bars }: ClientMessage<'open'>): ReturnType<NonNullable<DeskOwner<LiveMemory>['readMemory']>> {
    const { memories, models } = this.#shared.parts();
    if (memories === undefined || memory === 'off') return undefined;
    if (!models.usesMemory(model, bars !== undefined)) return () => 'version_without_memory';
    const key = { accountId: this.caller.identity.accountId, series };
    return async (periodMs) => {
      const read = await memories.read(key, periodMs);
      // It costs the past of the series, which is kept no further.
      return read === 'store_unavailable' ? read : new LiveMemory(memories, key, read, this.#shared.deps.clock);
    };
  }

  /** For the next iteration, after a number of due forecasts: those that are skipped wait for nothing. */
  #pace(): Promise<void> | undefined {
    if (this.#due < MOST_DUE && ++this.#pushed < MOST_PUSHED) return undefined;
    const bytes = this.#due * FORECAST_BYTES + this.#pushed * LEARN_BYTES;
    this.#due = this.#pushed = 0;
    return this.#shared.iterations.take(this.caller.identity.accountId, bytes);
  }

  #send(message: ServerMessage): void {
    const text = this.#outbox.send(message);
    if (text !== undefined) this.#watch.copy(message, text);
  }
}
