import { randomUUID } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import {
  ASK_ID,
  LIVE_MESSAGE_TICKS,
  LIVE_LONGEST_MS,
  type ClientMessage,
  type CloseCode,
  type ServerMessage,
} from '../../contract/live.ts';
import { fieldProblem, invalidRequest, quoteValue, ServiceError } from '../../core/ServiceError.ts';
import { US_PER_MS } from '../../core/units.ts';
import { bucketNameOf, LEAST_TICKS, LiveSeries, MOST_TICKS, OutcomeBudget, type ForecastPlan } from '../../live/LiveSeries.ts';
import type { Tally } from '../../live/score.ts';
import { dayOf } from '../../live/TrackRecord.ts';
import { parseNextTicks } from '../../ticks/parseTickRequest.ts';
import { MAX_YEAR } from '../../ticks/timestamps.ts';
import { publicError } from '../failures.ts';
import { parseJsonBody } from '../parseJsonBody.ts';
import { LiveForecasts } from './LiveForecasts.ts';
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
import { LIVE_CODES, type LiveCaller, type LiveShared } from './LiveShared.ts';

/** Above this number of unsent bytes, the connection is closed. */
const STUCK_BYTES = 8 * 1024 * 1024;
/** How long a closed connection may take to answer the close frame. */
const CLOSE_MS = 2000;
/** A series ends before its future timestamps leave the supported years. */
const LAST_US = Date.UTC(MAX_YEAR + 1, 0) * US_PER_MS - LIVE_LONGEST_MS * US_PER_MS - 1;

type OpenSeries = { readonly name: string; readonly model: string | undefined; readonly series: LiveSeries; since: string | null };

/** One WebSocket whose caller is known: reads its messages in order, one at a time. */
export class LiveConnection {
  readonly caller: LiveCaller;
  readonly #shared: LiveShared;
  readonly #socket: WebSocket;
  readonly #forecasts: LiveForecasts;
  readonly #budget: OutcomeBudget;
  readonly #series = new Map<string, OpenSeries>();
  readonly #inbox: Buffer[] = [];
  #isWorking = false;
  #isClosed = false;

  constructor(socket: WebSocket, caller: LiveCaller, shared: LiveShared) {
    this.#socket = socket;
    this.caller = caller;
    this.#shared = shared;
    this.#budget = new OutcomeBudget(shared.options.live.pendingOutcomes);
    this.#forecasts = new LiveForecasts(shared, socket, caller.identity.keyId, (skipped) =>
      this.#send({ type: 'status', code: 'skipped', detail: 'Forecasts were not made.', skipped }),
    );
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

  /** Closes the connection; a client that does not answer the close frame is cut off. */
  end(code: CloseCode): void {
    this.#socket.close(code);
    const cancel = this.#shared.deps.clock.after(CLOSE_MS, () => this.#socket.terminate());
    this.#socket.once('close', cancel);
    this.close();
  }

  /** The socket has closed: what is pending is counted as unscored. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#inbox.length = 0;
    this.#forecasts.close();
    for (const { series } of this.#series.values()) series.close();
    this.#series.clear();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) await this.#read(next);
    this.#isWorking = false;
    if (!this.#isClosed) this.#socket.resume();
  }

  async #read(bytes: Buffer): Promise<void> {
    let message: unknown;
    try {
      message = parseJsonBody(bytes);
      await this.#handle(message);
    } catch (thrown) {
      if (this.#isClosed) return;
      const error = publicError(thrown, LIVE_CODES);
      const id = randomUUID();
      this.#shared.deps.onProblem(error.code);
      if (error.code === 'internal.unexpected') this.#shared.deps.logger.error('live message failed', { id, error: thrown });
      this.#send(errorMessage(error, id, message));
    }
  }

  async #handle(message: unknown): Promise<void> {
    const type = typeOf(message);
    if (type === undefined) throw unknownType(message);
    const { live } = this.#shared.deps.checks;
    if (type === 'open') this.#open(live.open(message));
    else if (type === 'ticks') await this.#add(live.ticks(message));
    else if (type === 'ask') await this.#ask(live.ask(message));
    else if (type === 'score') await this.#score(live.score(message));
    else if (type === 'close') await this.#closeSeries(live.close(message));
    else throw invalidRequest([fieldProblem('/type', 'message.type_unknown', 'auth was sent already, or a key is in the header.')]);
  }

  #open({ series: name, forecasts, model }: ClientMessage<'open'>): void {
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
    const open: OpenSeries = {
      ...{ name, model, since: null },
      series: new LiveSeries(
        plans,
        {
          due: (due) => {
            const { plan, n, window, futureUs } = due;
            const wanted = wantedOf(model, plan.minMoveBps);
            void this.#forecasts.run({ series: window, futureUs }, wanted, (forecast) => {
              this.#send(forecastMessage(name, { id: plan.id, n, lastUs: window.timesUs.at(-1)!, futureUs, forecast }));
              open.series.answer(due, forecast);
            });
          },
          outcome: (outcome) => this.#send(outcomeMessage(name, outcome)),
          tally: (plan, version, tally) => this.#record(name, plan, version, tally),
        },
        this.#budget,
      ),
    };
    this.#series.set(name, open);
    this.#send({
      ...{ type: 'opened', series: name, model: model ?? null },
      forecasts: forecasts.map(({ horizon, every }, i) => ({ id: plans[i]!.id, horizon, every, min_move_bps: plans[i]!.minMoveBps })),
      limits: {
        ...{ series_per_connection: seriesPerConnection, forecasts_per_series: forecastsPerSeries, pending_outcomes: pendingOutcomes },
        ...{ ticks_per_message: LIVE_MESSAGE_TICKS, ticks_kept: MOST_TICKS, least_ticks: LEAST_TICKS },
      },
    });
  }

  async #add({ series: name, Timestamp, Price }: ClientMessage<'ticks'>): Promise<void> {
    const open = this.#find(name);
    const { series } = open;
    const { timesUs, prices } = parseNextTicks(Timestamp, Price, series.lastUs);
    const late = timesUs.findIndex((timeUs) => timeUs > LAST_US);
    if (late >= 0) {
      const detail = `Timestamp[${late}] is ${quoteValue(Timestamp[late])}; a series ends a day before the year ${MAX_YEAR + 1}.`;
      throw invalidRequest([fieldProblem(`/Timestamp/${late}`, 'timestamp.out_of_range', detail)]);
    }
    const isFirst = series.lastUs === undefined;
    open.since ??= stampOf(timesUs[0]!);
    for (let i = 0; i < timesUs.length; i++) {
      if (this.#forecasts.isFull) await this.#forecasts.untilFree();
      if (this.#isClosed) return;
      series.push(timesUs[i]!, prices[i]!);
    }
    if (isFirst && series.ticks < LEAST_TICKS) {
      const detail = `The series has ${series.ticks} ticks; forecasts start at ${LEAST_TICKS}.`;
      this.#send({ type: 'status', code: 'warming_up', series: name, detail });
    }
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
    const forecast = await this.#forecasts.compute({ series: window, futureUs }, wanted);
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
    this.#sendScore(open);
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
    const key = { accountId, series, model, bucket: bucketNameOf(plan.horizonMs), ownThreshold: plan.minMoveBps !== null, day };
    this.#shared.parts().trackRecord.add(key, tally);
  }

  #sendScore({ name, since, series }: OpenSeries): void {
    this.#send({ type: 'score', series: name, scores: series.scores().map(({ plan, tally }) => scoreOf(plan.id, since, tally)) });
  }

  #send(message: ServerMessage): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > STUCK_BYTES) this.end(1013);
    else this.#socket.send(JSON.stringify(message));
  }
}

const wantedOf = (modelId: string | undefined, minMoveBps: number | null) => ({
  ...(modelId === undefined ? {} : { modelId }),
  ...(minMoveBps === null ? {} : { minMoveBps }),
});
