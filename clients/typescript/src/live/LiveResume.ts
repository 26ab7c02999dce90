import type { LiveServerMessage } from './messages.ts';

/** Forecasts of one id that are remembered: as many as the service keeps pending. */
const MOST = 4096;

type Of<Type extends LiveServerMessage['type']> = Extract<LiveServerMessage, { readonly type: Type }>;

/** The id of forecasts that answer `ask`: they have no outcome. */
const ASK_ID = 'ask';

/** What was read of the forecasts of one id. */
type Known = {
  /** Number of the first forecast at the time of a last tick, oldest first. */
  readonly numbers: Map<string, number>;
  /** Forecasts by number, in order, from the oldest without outcome on. */
  open: Map<number, { readonly at: string; isSettled: boolean }>;
  /** The outcomes of all forecasts up to this time are known; empty before the first one. */
  settledUntil: string;
  /** The number after that of the forecast at `settledUntil`: a connection that resumes there counts from it, as long as the first ticks are kept. */
  resumedFrom: number;
  /** Time of the last tick of the newest forecast, in a form that sorts; and that time when this connection began. */
  newest: string;
  readUntil: string;
  nextNumber: number;
  /** Added to the numbers of this connection; undefined until it is known. */
  offset: number | undefined;
};

/**
 * Joins the messages of several connections to one sequence. After a reconnection, the ticks that are sent again give earlier forecasts
 * again, with other numbers: those are left out, and the outcomes that were still open come under the number of their forecast.
 */
export class LiveResume {
  readonly #series = new Map<string, Map<string, Known>>();

  /** A new connection counts from 0 again. */
  restart(): void {
    for (const known of this.#series.values()) for (const one of known.values()) [one.offset, one.readUntil] = [undefined, one.newest];
  }

  /** Up to which time the service need not make the forecasts of an id again; undefined: none was made. */
  after(series: string, id: string): string | undefined {
    return this.#series.get(series)?.get(id)?.settledUntil || undefined;
  }

  forget(series: string): void {
    this.#series.delete(series);
  }

  /** The message as the reader gets it; undefined: it was read before. */
  read(message: LiveServerMessage): LiveServerMessage | undefined {
    if (message.type === 'forecast' && message.id !== ASK_ID) return this.#forecast(message);
    return message.type === 'outcome' ? this.#outcome(message) : message;
  }

  #forecast(message: Of<'forecast'>): LiveServerMessage | undefined {
    const known = this.#knownOf(message);
    const at = sortable(message.timestamp);
    const isNew = at > known.readUntil;
    // A later forecast may come first: that it is the next one would give its number to two.
    const number = isNew ? Math.max(known.nextNumber, known.resumedFrom + message.n) : known.numbers.get(at);
    if (number !== undefined) known.offset ??= number - message.n;
    if (!isNew || known.offset === undefined) return undefined;
    const n = message.n + known.offset;
    known.open.set(n, { at, isSettled: false });
    // Forecasts that are computed at the same time may come in another order.
    if (n < known.nextNumber) known.open = new Map([...known.open].sort(([a], [b]) => a - b));
    if (at > known.newest) known.newest = at;
    known.nextNumber = Math.max(known.nextNumber, n + 1);
    if (!known.numbers.has(at)) known.numbers.set(at, n);
    dropOldest(known.numbers);
    dropOldest(known.open);
    return { ...message, n };
  }

  #outcome(message: Of<'outcome'>): LiveServerMessage | undefined {
    const known = this.#knownOf(message);
    const n = message.n + (known.offset ?? NaN);
    const forecast = known.open.get(n);
    if (forecast === undefined || forecast.isSettled) return undefined;
    forecast.isSettled = true;
    dropSettled(known);
    return { ...message, n };
  }

  #knownOf({ series, id }: { readonly series: string; readonly id: string }): Known {
    const ofSeries = this.#series.get(series) ?? new Map<string, Known>();
    this.#series.set(series, ofSeries);
    const known: Known = ofSeries.get(id) ?? {
      ...{ numbers: new Map(), open: new Map(), settledUntil: '', resumedFrom: 0, newest: '', readUntil: '' },
      ...{ nextNumber: 0, offset: undefined },
    };
    ofSeries.set(id, known);
    return known;
  }
}

/** Forecasts at one time are settled together: the service compares times only. */
function dropSettled(known: Known): void {
  let settled: readonly [string, number] | undefined;
  for (const [n, { at, isSettled }] of known.open) {
    if (!isSettled) {
      if (at === settled?.[0]) settled = undefined;
      break;
    }
    known.open.delete(n);
    settled = [at, n + 1];
  }
  if (settled !== undefined) [known.settledUntil, known.resumedFrom] = settled;
}

function dropOldest(kept: Map<unknown, unknown>): void {
  const oldest = kept.size > MOST ? kept.keys().next() : undefined;
  if (oldest?.done === false) kept.delete(oldest.value);
}

/** `YYYY-MM-DD HH:MM:SS.fff` with 3 or 6 digits of fraction, to 6: texts in the order of time. */
function sortable(timestamp: string): string {
  const [second = '', fraction = ''] = timestamp.split('.');
  return `${second}.${fraction.padEnd(6, '0')}`;
}
