import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { ASK_ID, type ClientMessage, type CloseCode, type ServerMessage, type WatchedMessage } from '../../contract/live.ts';
import { LIVE_MESSAGE_TICKS } from '../../contract/liveTicks.ts';
import { LONGEST_MS } from '../../contract/duration.ts';
import { fieldProblem, invalidRequest, quoteValue, ServiceError } from '../../core/ServiceError.ts';
import { US_PER_MS } from '../../core/units.ts';
import { bucketNameOf, LEAST_TICKS, LiveSeries, MOST_TICKS, OutcomeBudget, type ForecastPlan } from '../../live/LiveSeries.ts';
import type { Tally } from '../../live/score.ts';
import { dayOf, type RecordKey } from '../../live/TrackRecord.ts';
import { parseCloses } from '../../ticks/parseCloses.ts';
import { parseNextTicks } from '../../ticks/parseTickRequest.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { MAX_YEAR } from '../../ticks/timestamps.ts';
import { publicError } from '../failures.ts';
import { parseJsonBody } from '../parseJsonBody.ts';
import { closeSocket } from './closeSocket.ts';
import { LiveForecasts } from './LiveForecasts.ts';
import { LiveOutbox } from './LiveOutbox.ts';
import {
  durationOf,
  errorMessage,
  forecastMessage,
  outcomeMessage,
  plansOf,
  scoreOf,
  stampOf,
  typeOf,
  unknownType,
} from './liveMessages.ts';
import { refuseTicksBefore, seriesRequest } from './seriesRequest.ts';
import { LiveMarks } from './LiveMarks.ts';
import type { Copies, Watcher, WatchSource } from './LiveWatch.ts';
import { LIVE_CODES, type LiveCaller, type LiveShared } from './LiveShared.ts';

/** A series ends before its future timestamps leave the supported years. */
const LAST_US = Date.UTC(MAX_YEAR + 1, 0) * US_PER_MS - LONGEST_MS * US_PER_MS - 1;

type OpenSeries = {
  readonly name: string;
  readonly model: string | undefined;
  readonly series: LiveSeries;
  /** Sent with `open`; undefined after the first tick. */
  closes: TickSeries | undefined;
  since: string | null;
  /** For those who watch the key: its message `opened`, the last tick that they were told, and whether the score has changed since then. */
  opened: ServerMessage<'opened'> | undefined;
  toldUs: number | undefined;
  hasNews: boolean;
};

/** Above this number of unsent bytes, copies of other connections are dropped. */
const SLOW_WATCHER_BYTES = 1024 * 1024;

/** One WebSocket whose caller is known: reads its messages in order, one at a time. */
export class LiveConnection implements WatchSource, Watcher {
  readonly caller: LiveCaller;
  readonly #shared: LiveShared;
  readonly #socket: WebSocket;
  readonly #outbox: LiveOutbox;
  readonly #forecasts: LiveForecasts;
  readonly #budget: OutcomeBudget;
  readonly #series = new Map<string, OpenSeries>();
  /** The last key of each plan of each series. */
  readonly #recordKeys = new WeakMap<ForecastPlan, RecordKey>();
  readonly #inbox: Buffer[] = [];
  /** Names it to those who watch the key. */
  readonly #name: string;
  #droppedCopies = 0;
  #isWorking = false;
  #isClosed = false;

  /** `stream`: what the socket writes to. `name`: of the connection. */
  constructor(socket: WebSocket, stream: Duplex, caller: LiveCaller, shared: LiveShared, name: string) {
    this.#name = name;
    this.#socket = socket;
    this.#outbox = new LiveOutbox(socket, stream, () => this.end(1013));
    this.caller = caller;
    this.#shared = shared;
    this.#budget = new OutcomeBudget(shared.options.live.pendingOutcomes);
    this.#forecasts = new LiveForecasts(shared, socket, caller.identity.keyId, (skipped) =>
      this.#send({ type: 'status', code: 'skipped', detail: 'Forecasts were not made.', skipped }),
    );
    shared.watch.join(this);
  }

  get keyId(): string {
    return this.caller.identity.keyId;
  }

  announce(): void {
    for (const open of this.#series.values()) {
      if (open.opened !== undefined) this.#publish(open.opened, true);
      open.hasNews = true;
      open.toldUs = undefined;
      this.#publishChange(open, true, true);
    }
  }

  publishChanges(areScoresDue: boolean): number {
    for (const open of this.#series.values()) this.#publishChange(open, areScoresDue, true);
    return this.#series.size;
  }

  deliver({ texts, count, dropped }: Copies): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > SLOW_WATCHER_BYTES) {
      this.#droppedCopies += count + dropped;
      return;
    }
    this.#socket.send(`{"type":"watched","copies":[${texts}],"dropped":${dropped + this.#droppedCopies}}`);
    this.#droppedCopies = 0;
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
    for (const { series, name } of this.#series.values()) {
      series.close();
      this.#publish({ type: 'closed', series: name }, true);
    }
    this.#shared.watch.leave(this);
    this.#shared.watch.unwatch(this);
    if (this.#series.size > 0) this.#shared.parts().trackRecord.storeSoon();
    this.#series.clear();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    // A message that waits for nothing is handled at once, so that those read together with it do not pause the socket.
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) {
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
      return this.#handle(message)?.catch(refuse);
    } catch (thrown) {
      refuse(thrown);
      return undefined;
    }
  }

  #refuse(thrown: unknown, message: unknown): void {
    if (this.#isClosed) return;
    const error = publicError(thrown, LIVE_CODES);
    const id = randomUUID();
    this.#shared.deps.onProblem(error.code);
    if (error.code === 'internal.unexpected') this.#shared.deps.logger.error('live message failed', { id, error: thrown });
    this.#send(errorMessage(error, id, message));
  }

  #handle(message: unknown): Promise<void> | undefined {
    const type = typeOf(message);
    if (type === undefined) throw unknownType(message);
    const { live } = this.#shared.deps.checks;
    if (type === 'ticks') return this.#add(live.ticks(message));
    if (type === 'ask') return this.#ask(live.ask(message));
    if (type === 'score') return this.#score(live.score(message));
    if (type === 'close') return this.#closeSeries(live.close(message));
    if (type === 'watch') {
      live.watch(message);
      this.#shared.watch.watch(this);
      this.#send({ type: 'watched', copies: [], dropped: 0 });
      return undefined;
    }
    if (type === 'auth')
      throw invalidRequest([fieldProblem('/type', 'message.type_unknown', 'auth was sent already, or a key is in the header.')]);
    this.#open(live.open(message));
    return undefined;
  }

  #open({ series: name, forecasts, model, closes: sent }: ClientMessage<'open'>): void {
    const { seriesPerConnection, forecastsPerSeries, pendingOutcomes } = this.#shared.options.live;
    if (this.#series.has(name))
      throw invalidRequest([fieldProblem('/series', 'series.already_open', `The series ${quoteValue(name)} is open.`)]);
    if (this.#series.size >= seriesPerConnection)
      throw invalidRequest([fieldProblem('/series', 'series.too_many', `A connection may have ${seriesPerConnection} open series.`)]);
    if (forecasts.length > forecastsPerSeries) {
      const detail = `forecasts has ${forecasts.length} entries; at most ${forecastsPerSeries} are allowed.`;
      throw invalidRequest([fieldProblem('/forecasts', 'forecasts.too_many', detail)]);
    }
    const plans = plansOf(forecasts);
    if (model !== undefined && this.#shared.parts().models.find(model) === undefined)
      throw new ServiceError('model.unknown', `No model ${quoteValue(model)} is loaded.`);
    const closes = sent === undefined ? undefined : parseCloses(sent, 'closes');
    const marks = new LiveMarks(this.caller.identity.accountId, name, this.#shared.parts().forecastEvents);
    const open: OpenSeries = {
      ...{ name, model, closes, since: null, opened: undefined, toldUs: undefined, hasNews: true },
      series: new LiveSeries(
        plans,
        {
          due: (due) => {
            const { plan, n, window, futureUs } = due;
            // Those who watch see the tick of each forecast.
            this.#publishChange(open, false, false);
            const wanted = wantedOf(model, plan.minMoveBps);
            const request = seriesRequest(open.series, window, futureUs, this.#shared.parts().models.usesCloses(model));
            void this.#forecasts.run(request, wanted, (forecast) => {
              this.#send(forecastMessage(name, { id: plan.id, n, lastUs: window.timesUs.at(-1)!, futureUs, forecast }));
              open.hasNews = true;
              marks.answered(due, forecast);
              open.series.answer(due, forecast);
            });
          },
          outcome: (outcome) => {
            open.hasNews = true;
            this.#send(outcomeMessage(name, outcome));
            marks.settled(outcome);
          },
          tally: (plan, version, tally) => this.#record(name, plan, version, tally),
        },
        this.#budget,
        closes,
      ),
    };
    this.#series.set(name, open);
    open.opened = {
      ...{ type: 'opened', series: name, model: model ?? null },
      forecasts: forecasts.map(({ horizon, every }, i) => ({ id: plans[i]!.id, horizon, every, min_move_bps: plans[i]!.minMoveBps })),
      limits: {
        ...{ series_per_connection: seriesPerConnection, forecasts_per_series: forecastsPerSeries, pending_outcomes: pendingOutcomes },
        ...{ ticks_per_message: LIVE_MESSAGE_TICKS, ticks_kept: MOST_TICKS, least_ticks: LEAST_TICKS },
      },
    };
    this.#send(open.opened);
  }

  #add(message: ClientMessage<'ticks'>): Promise<void> | undefined {
    const { series: name, Timestamp } = message;
    const open = this.#find(name);
    const { series } = open;
    const { timesUs, prices } = parseNextTicks(Timestamp, 'Price' in message ? message.Price : message, series.lastUs);
    if (timesUs.at(-1)! > LAST_US) {
      const late = timesUs.findIndex((timeUs) => timeUs > LAST_US);
      const detail = `Timestamp[${late}] is ${quoteValue(Timestamp[late])}; a series ends a day before the year ${MAX_YEAR + 1}.`;
      throw invalidRequest([fieldProblem(`/Timestamp/${late}`, 'timestamp.out_of_range', detail)]);
    }
    refuseTicksBefore(open.closes, timesUs[0]!, Timestamp[0]!);
    open.closes = undefined;
    open.since ??= stampOf(timesUs[0]!);
    if (series.lastUs === undefined && timesUs.length < LEAST_TICKS) {
      const detail = `The series has ${timesUs.length} ticks; forecasts start at ${LEAST_TICKS}.`;
      this.#send({ type: 'status', code: 'warming_up', series: name, detail });
    }
    return this.#push(series, { timesUs, prices }, 0);
  }

  /** Waits while too many forecasts are in flight or queued. */
  #push(series: LiveSeries, ticks: TickSeries, from: number): Promise<void> | undefined {
    const { timesUs, prices } = ticks;
    for (let i = from; i < timesUs.length && !this.#isClosed; i++) {
      if (this.#forecasts.isFull) return this.#forecasts.untilFree().then(() => this.#push(series, ticks, i));
      series.push(timesUs[i]!, prices[i]!);
    }
    return undefined;
  }

  async #ask({ series: name, horizon, min_move_bps: minMoveBps, detail }: ClientMessage<'ask'>): Promise<void> {
    const { series, model } = this.#find(name);
    const horizonMs = durationOf(horizon, '/horizon');
    const window = series.window(horizonMs);
    if (window === undefined) {
      const text = `The series has ${series.ticks} ticks; a forecast needs ${LEAST_TICKS}.`;
      throw invalidRequest([fieldProblem('/series', 'ticks.too_few', text)]);
    }
    const lastUs = window.timesUs.at(-1)!;
    const futureUs = lastUs + horizonMs * US_PER_MS;
    const wanted = { ...wantedOf(model, minMoveBps ?? null), detail: detail === true };
    const request = seriesRequest(series, window, futureUs, this.#shared.parts().models.usesCloses(model));
    const forecast = await this.#forecasts.compute(request, wanted);
    this.#send(forecastMessage(name, { id: ASK_ID, n: 0, lastUs, futureUs, forecast }));
  }

  /** Forecasts of the ticks before this message are in the score. */
  async #score({ series: name }: ClientMessage<'score'>): Promise<void> {
    const open = this.#find(name);
    await this.#forecasts.untilIdle();
    this.#sendScore(open);
  }

  async #closeSeries({ series: name }: ClientMessage<'close'>): Promise<void> {
    const open = this.#find(name);
    await this.#forecasts.untilIdle();
    open.series.close();
    this.#series.delete(name);
    this.#shared.parts().trackRecord.storeSoon();
    this.#sendScore(open);
    this.#publish({ type: 'closed', series: name }, true);
  }

  #find(name: string): OpenSeries {
    const open = this.#series.get(name);
    if (open === undefined)
      throw invalidRequest([fieldProblem('/series', 'series.unknown', `No series ${quoteValue(name)} is open on this connection.`)]);
    return open;
  }

  #record(series: string, plan: ForecastPlan, model: string, tally: Tally): void {
    const { accountId } = this.caller.identity;
    const day = dayOf(this.#shared.deps.clock.nowMs());
    let key = this.#recordKeys.get(plan);
    if (key === undefined || key.model !== model || key.day !== day) {
      key = { accountId, series, model, bucket: bucketNameOf(plan.horizonMs), ownThreshold: plan.minMoveBps !== null, day };
      this.#recordKeys.set(plan, key);
    }
    this.#shared.parts().trackRecord.add(key, tally);
  }

  #sendScore(open: OpenSeries): void {
    this.#send(scoreMessage(open));
  }

  #send(message: ServerMessage): void {
    const text = this.#outbox.send(message);
    if (text === undefined || message.type === 'error' || message.type === 'watched') return;
    const { watch } = this.#shared;
    if (watch.isWatched(this.keyId)) watch.publish(this.keyId, this.#name, text);
  }

  /** Tells those who watch the key, and no one else. */
  #publish(message: WatchedMessage, isState: boolean): void {
    const { watch } = this.#shared;
    if (watch.isWatched(this.keyId)) watch.publish(this.keyId, this.#name, JSON.stringify(message), isState);
  }

  #publishChange(open: OpenSeries, isScoreDue: boolean, isState: boolean): void {
    if (!this.#shared.watch.isWatched(this.keyId)) return;
    const { name, series, toldUs, hasNews } = open;
    const { lastUs, lastPrice } = series;
    if (lastUs !== undefined && lastPrice !== undefined && lastUs !== toldUs) {
      open.toldUs = lastUs;
      this.#publish({ type: 'price', series: name, timestamp: stampOf(lastUs), price: lastPrice }, isState);
    }
    if (!isScoreDue || !hasNews) return;
    open.hasNews = false;
    this.#publish(scoreMessage(open), isState);
  }
}

const scoreMessage = ({ name, since, series }: OpenSeries): ServerMessage<'score'> => ({
  ...{ type: 'score', series: name },
  scores: series.scores().map(({ plan, tally }) => scoreOf(plan.id, since, tally)),
});

const wantedOf = (modelId: string | undefined, minMoveBps: number | null) => ({
  ...(modelId === undefined ? {} : { modelId }),
  ...(minMoveBps === null ? {} : { minMoveBps }),
});
