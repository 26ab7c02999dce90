import { RisingOrder } from '../../../clients/typescript/src/live/RisingOrder.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { US_PER_MS } from '../../core/units.ts';
import { ExchangeLines, isExchangeMessage, messageIn } from './exchangeMessages.ts';
import { formatSpan } from '../formatSpan.ts';
import type { FeedParts, Trade } from './FeedParts.ts';

/** What follows in a feed. `gap`: before it trades are missing, or may be. */
export type Step = {
  readonly line: string;
  /** Undefined: it has no tick. */
  readonly first: Trade | undefined;
  readonly gap?: { readonly last: Trade; readonly why: string } | undefined;
};

type Numbered = { readonly line: string; readonly least: number; readonly most: number; readonly timeUs: number; readonly ticks: number };

/** Begins what is said of the first tick of each connection. */
const CONNECTED = 'First tick of the connection';

const LOST = 'the connection was lost';
/** In numbers: a trade is far ahead of the one before it by more, and is then held until others confirm its number. */
const FAR_NUMBERS = 20;
/** So many holes of an unbroken connection among so many trades are ordinary: no series would ever be long enough for a forecast. */
const MOST_HOLES = 3;
const HOLE_TRADES = 200;
/** Without any hole for so long, numbers mean gaps again. */
const WHOLE_TRADES = 5000;

/** Leaves out trades that came before, finds those that are missing, and measures the clock. */
export class TradeOrder {
  readonly #parts: Pick<FeedParts, 'exchange' | 'say' | 'clock'>;
  readonly #lines = new ExchangeLines();
  readonly #numbers = new RisingOrder<Numbered>({ far: FAR_NUMBERS, onAhead: ({ ticks }) => (this.#unnumbered += ticks) });
  #last: Trade | undefined;
  #isLost = false;
  /** Trades that did come, without a number or with a wrong one. */
  #unnumbered = 0;
  /** Trades and missing ones since the beginning, and after how many trades the last holes were. */
  #trades = 0;
  #missing = 0;
  #holes: number[] = [];
  #hasHoles = false;
  /** Whether this connection has brought a trade. */
  isReceiving = false;

  /** `last`: the trade that the stream follows after a pause. */
  constructor(parts: Pick<FeedParts, 'exchange' | 'say' | 'clock'>, last?: Trade) {
    this.#parts = parts;
    this.#last = last;
    this.#isLost = last !== undefined;
    if (last?.number !== undefined)
      this.#numbers.take(last.number, { line: '', least: last.number, most: last.number, timeUs: last.timeUs, ticks: 0 });
  }

  /** Of the feed; undefined: none has come. */
  get last(): Trade | undefined {
    return this.#last;
  }

  onLost(): void {
    this.#isLost = this.#last !== undefined;
    this.isReceiving = false;
  }

  /** What is kept of a message, in order: nothing of one that came before, several once others confirm their numbers. @throws ServiceError feed.failed */
  stepsOf(text: string): Step[] {
    const { exchange, say, clock } = this.#parts;
    const received = messageIn(text) as Readonly<Record<string, unknown>> | undefined;
    if (typeof received !== 'object' || received === null) return [];
    const failure = exchange.failure(received);
    if (failure !== undefined) throw failed(`The exchange says: ${typeof failure === 'string' ? failure : JSON.stringify(failure)}`);
    if (!isExchangeMessage(received)) return [];
    const message = exchange.partOf?.(received) ?? received;
    const read = message === received ? text.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim() : JSON.stringify(message);
    let timeUs: number | undefined;
    let ticks = 0;
    this.#lines.read(read, (tick) => {
      ticks++;
      timeUs ??= tick.timeUs;
    });
    const isStamped = timeUs !== undefined;
    // As a recorder writes it: quotes of Binance carry no time.
    const line = `${ticks > 0 && !isStamped ? `${Math.floor(clock.nowMs())} ` : ''}${read}\n`;
    if (ticks === 0) return [{ line, first: undefined }];
    timeUs ??= Math.floor(clock.nowMs()) * US_PER_MS;
    const numbers = (exchange.numbers?.(message) ?? []).map(Number).filter(Number.isSafeInteger);
    const numbered = { line, least: Math.min(...numbers), most: Math.max(...numbers), timeUs, ticks };
    const isSame = numbered.most === this.#numbers.last || this.#numbers.revise(numbered.most, numbered);
    const found = numbers.length === 0 ? 'next' : isSame ? 'late' : this.#numbers.take(numbered.most, numbered);
    const isRepeated = found === 'late' || (found === 'held' && numbered.most < this.#numbers.last);
    if (!isRepeated && !this.isReceiving && isStamped) {
      const offsetMs = clock.nowMs() - timeUs / US_PER_MS;
      say(`${CONNECTED}: stamped ${formatSpan(Math.abs(offsetMs))} ${offsetMs < 0 ? 'after' : 'before'} this clock.\n`);
    }
    this.isReceiving ||= !isRepeated;
    if (numbers.length === 0) return [this.#stepWithout(numbered)];
    if (found === 'late' || found === 'held') return [];
    if (found === 'next') return [this.#step(numbered, false)];
    return this.#numbers.released.map((each, i) => this.#step(each, i === 0, i === 0 && found === 'restarted'));
  }

  /** Of an exchange that numbers none, or of a message whose numbers are none. */
  #stepWithout({ line, timeUs, ticks }: Numbered): Step {
    const last = this.#last;
    const isGap = this.#isLost && last?.number === undefined;
    if (last?.number !== undefined) this.#unnumbered += ticks;
    else this.#isLost = false;
    this.#last = { number: last?.number, timeUs };
    return { line, first: { number: undefined, timeUs }, gap: isGap && last !== undefined ? { last, why: LOST } : undefined };
  }

  /** `isFar`: the number is far from the one before it. */
  #step({ line, least, most, timeUs, ticks }: Numbered, isFar: boolean, isRestart = false): Step {
    const last = this.#last;
    const first = { number: least, timeUs };
    const isLost = this.#isLost;
    const missed = last?.number === undefined ? 0 : Math.max(0, least - last.number - 1 - this.#unnumbered);
    this.#last = { number: most, timeUs };
    [this.#isLost, this.#unnumbered] = [false, 0];
    this.#trades += ticks;
    if (missed > 0 && !isLost && !isFar) this.#countHole(missed);
    if (this.#hasHoles && this.#trades - this.#holes.at(-1)! > WHOLE_TRADES) this.#hasHoles = false;
    const hasNumbers = !this.#hasHoles || isFar;
    const isGap = isRestart || (hasNumbers ? missed > 0 : isLost);
    const why = isRestart ? 'the trade numbers begin again' : hasNumbers ? `${missed} trades are missing` : LOST;
    return { line, first, gap: isGap && last !== undefined ? { last, why } : undefined };
  }

  #countHole(missed: number): void {
    this.#missing += missed;
    this.#holes = [...this.#holes.slice(1 - MOST_HOLES), this.#trades];
    const isUsual = this.#holes.length === MOST_HOLES && this.#trades - this.#holes[0] < HOLE_TRADES;
    if (!isUsual || this.#hasHoles) return;
    this.#hasHoles = true;
    const share = (100 * this.#missing) / (this.#missing + this.#trades);
    this.#parts.say(
      `About ${share.toFixed(0)} % of the trade numbers are missing all the time: the numbers have holes, and no longer mean gaps.\n`,
    );
  }
}

export const failed = (detail: string): ServiceError => new ServiceError('feed.failed', detail);
