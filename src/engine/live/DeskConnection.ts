import type { ClientMessage, ServerMessage } from '../../contract/live.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { spreadsBps } from '../../ticks/tickColumns.ts';
import { parseNextBars } from '../../ticks/parseBarRequest.ts';
import { type LiveWindow, rangeAt } from '../../ticks/TickWindow.ts';
import { parseNextTicks } from '../../ticks/parseTickRequest.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { refuseWithoutCost } from './costRules.ts';
import { type DeskDeps, LiveDesk, MOST_PENDING } from './LiveDesk.ts';
import type { ForecastPlan } from './LiveSeries.ts';
import {
  barsOf,
  doubtMessage,
  errorMessage,
  forecastMessage,
  type OpenBars,
  openedMessage,
  outcomeMessage,
  plansOf,
  scoreOf,
  typeOf,
  unknownType,
} from './liveMessages.ts';

type OpenSeries = {
  readonly desk: LiveDesk;
  readonly plans: readonly ForecastPlan[];
  readonly bars: OpenBars | undefined;
  lastUs: number | undefined;
  since: string | null;
  isDoubted: boolean;
  /** Skipped forecasts that were reported. */
  reported: Readonly<Record<string, number>>;
};

/** Of a connection that serves one page. */
const LIMITS = { seriesPerConnection: 1, forecastsPerSeries: 8, pendingOutcomes: MOST_PENDING };

/**
 * The other end of a live connection without a service: reads its messages in order, one at a time, and answers as a service does. Of a client that keeps
 * the rules of the messages; `watch` and `ask` are not answered, and `open` names the period of bars.
 */
export class DeskConnection {
  readonly #deps: Omit<DeskDeps, 'plans' | 'onForecast' | 'onOutcome'>;
  readonly #send: (message: ServerMessage) => void;
  readonly #series = new Map<string, OpenSeries>();
  #work = Promise.resolve();

  constructor(deps: Omit<DeskDeps, 'plans' | 'onForecast' | 'onOutcome'>, send: (message: ServerMessage) => void) {
    this.#deps = deps;
    this.#send = send;
  }

  receive(text: string): void {
    const message: unknown = JSON.parse(text);
    this.#work = this.#work
      .then(() => this.#handle(message))
      .catch((thrown: unknown) => {
        const error = thrown instanceof ServiceError ? thrown : new ServiceError('inference.failed', String(thrown), { cause: thrown });
        this.#send(errorMessage(error, '', message));
      });
  }

  async #handle(message: unknown): Promise<void> {
    const type = typeOf(message);
    if (type === 'open') this.#open(message as ClientMessage<'open'>);
    else if (type === 'ticks') await this.#add(message as ClientMessage<'ticks'>);
    else if (type === 'bars') await this.#addBars(message as ClientMessage<'bars'>);
    else if (type === 'score' || type === 'close') await this.#score(message as ClientMessage<'score' | 'close'>);
    else if (type !== 'auth') throw unknownType(message);
  }

  #open(message: ClientMessage<'open'>): void {
    const { series: name, forecasts } = message;
    const bars = barsOf(message);
    const plans = plansOf(forecasts, bars?.periodMs);
    const desk = new LiveDesk({
      ...this.#deps,
      plans,
      barPeriodMs: bars?.periodMs,
      barTime: bars?.barTime,
      onForecast: (_, { plan: { id }, n, window, futureUs, memory }, forecast) => {
        this.#tellDoubt(name, memory?.barTimeDoubt);
        this.#send(forecastMessage(name, { id, n, window, futureUs, forecast, doubt: memory?.barTimeDoubt }));
      },
      onOutcome: (_, outcome) => this.#send(outcomeMessage(name, outcome)),
    });
    desk.open(name);
    this.#series.set(name, { desk, plans, bars, lastUs: undefined, since: null, isDoubted: false, reported: {} });
    this.#send(openedMessage(message, plans, LIMITS));
  }

  async #add(message: ClientMessage<'ticks'>): Promise<void> {
    const { series: name, Timestamp } = message;
    const open = this.#series.get(name)!;
    const ticks = parseNextTicks(Timestamp, 'Price' in message ? message.Price : message, open.lastUs);
    if ('Price' in message) refuseWithoutCost(open.plans);
    await this.#push(name, open, 'Bid' in message ? { ...ticks, spreadsBps: spreadsBps(message, ticks.timesUs.length) } : ticks);
  }

  async #addBars(message: ClientMessage<'bars'>): Promise<void> {
    const { series: name } = message;
    const open = this.#series.get(name)!;
    const { periodMs, barTime } = open.bars!;
    const { series, bars } = parseNextBars(message, barTime, { periodMs, lastUs: open.lastUs });
    refuseWithoutCost(open.plans, '/Close');
    await this.#push(name, open, bars.ranges === undefined ? series : { ...series, ranges: bars.ranges });
  }

  async #push(name: string, open: OpenSeries, { timesUs, prices, spreadsBps: spreads, ranges }: LiveWindow): Promise<void> {
    const { desk } = open;
    open.since ??= writeTimestamp(timesUs[0]!);
    open.lastUs = timesUs.at(-1);
    for (let i = 0; i < timesUs.length; i++) {
      const timeUs = timesUs[i]!;
      if (desk.isBusy(name, timeUs)) await desk.untilFree({ name, timeUs });
      desk.push(name, timeUs, prices[i]!, spreads?.[i], rangeAt(ranges, i));
    }
  }

  /** Forecasts of the ticks before this message are in the score; those that were skipped are reported before it. */
  async #score({ type, series }: ClientMessage<'score' | 'close'>): Promise<void> {
    const open = this.#series.get(series)!;
    const { desk, since } = open;
    const [tallies] = type === 'close' ? await desk.close() : await desk.scores();
    if (type === 'close') this.#series.delete(series);
    this.#reportSkipped(open);
    this.#send({ type: 'score', series, scores: (tallies?.scores ?? []).map(({ plan, tally }) => scoreOf(plan.id, since, tally)) });
  }

  /** Once. */
  #tellDoubt(name: string, doubt: string | undefined): void {
    const open = this.#series.get(name);
    if (doubt === undefined || open === undefined || open.isDoubted) return;
    open.isDoubted = true;
    this.#send(doubtMessage(name, doubt));
  }

  #reportSkipped(open: OpenSeries): void {
    const total = { ...open.desk.skipped };
    const news = Object.entries(total).flatMap(([code, count]) => {
      const more = count - (open.reported[code] ?? 0);
      return more === 0 ? [] : [[code, more] as const];
    });
    open.reported = total;
    if (news.length > 0)
      this.#send({ type: 'status', code: 'skipped', detail: 'Forecasts were not made.', skipped: Object.fromEntries(news) });
  }
}
