import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';

/** Memory that Node.js uses for one received chunk of any length: 459 bytes, measured with 800,000 chunks of 1 byte. */
const CHUNK_BYTES = 512;
/** A body that stays below the minimum rate for a whole interval is refused. */
const INTERVAL_MS = 5000;
const LEAST_BYTES_PER_S = 1024;
/** After a pause of the process, a check that is later than this would count bytes in the buffers of the system as not sent. */
const LATE_MS = 1000;
/** Maximum number of bodies dropped for one chunk. More would block the event loop; after that, the body of the chunk itself is dropped. */
const MOST_DROPS = 8;

/** What one account or address uses. */
type Holder = { bytes: number; bodies: number };

/** One request body, from its first byte until its answer is ready. */
export class CountedBody {
  readonly account: Holder;
  readonly address: Holder;
  readonly sinceMs: number;
  /** Bytes counted in the budget: received and decompressed bytes, plus CHUNK_BYTES for each chunk. */
  bytes = 0;
  /** Bytes received or decompressed. */
  received = 0;
  isReleased = false;
  receivedBefore: number | undefined;
  /** Stops reading this body and fails it with the error. */
  drop: (error: ServiceError) => void = () => {};

  constructor(account: Holder, address: Holder, sinceMs: number) {
    this.account = account;
    this.address = address;
    this.sinceMs = sinceMs;
  }
}

/**
 * One memory budget for all request bodies, by bytes received. An account may use as many bytes as are free, an address twice as many
 * (dynamic thresholds: Choudhury and Hahne, 1998). A single caller therefore gets half of the budget, and the limit shrinks with the number
 * of callers, so that some memory is always free for another one. Over the limit, the account or address with the most bytes loses the body
 * with the largest product of memory and time.
 */
export class BodyBudget {
  readonly #clock: Clock;
  readonly #mostBytes: number;
  /** Holders without a body stay until the next check: keeping them is faster than creating them for each request. */
  readonly #accounts = new Map<string, Holder>();
  readonly #addresses = new Map<string, Holder>();
  /** Bodies that have not arrived completely. */
  readonly #arriving = new Set<CountedBody>();
  #bytes = 0;
  #isCheckPlanned = false;

  constructor(clock: Clock, mostBytes: number) {
    this.#clock = clock;
    this.#mostBytes = mostBytes;
  }

  /** Starts to count a body. The caller calls `arrived` when the whole body was received, and `release` when it is no longer needed. */
  open(account: string, address: string): CountedBody {
    const body = new CountedBody(holderOf(this.#accounts, account), holderOf(this.#addresses, address), this.#clock.monotonicMs());
    this.#arriving.add(body);
    if (!this.#isCheckPlanned) this.#planCheck();
    return body;
  }

  /** Counts one chunk. Drops bodies with ServiceError `limit.exceeded` if that exceeds the budget; this body may be one of them. */
  grow(body: CountedBody, chunkBytes: number): void {
    body.received += chunkBytes;
    this.#add(body, chunkBytes + CHUNK_BYTES);
    for (let drops = 1; loadOf(body) > this.#mostBytes - this.#bytes; drops++) {
      const victim = drops < MOST_DROPS ? this.#victim(body) : body;
      this.#drop(victim, overBudget());
      if (victim === body) return;
    }
  }

  arrived(body: CountedBody): void {
    this.#arriving.delete(body);
  }

  release(body: CountedBody): void {
    if (body.isReleased) return;
    body.isReleased = true;
    this.#arriving.delete(body);
    this.#add(body, -body.bytes);
    body.account.bodies--;
    body.address.bodies--;
  }

  #add(body: CountedBody, bytes: number): void {
    body.bytes += bytes;
    this.#bytes += bytes;
    body.account.bytes += bytes;
    body.address.bytes += bytes;
  }

  /** Chosen from the bodies that are arriving and the given one. */
  #victim(growing: CountedBody): CountedBody {
    const nowMs = this.#clock.monotonicMs();
    let victim = growing;
    let [mostLoad, mostCost] = [loadOf(victim), victim.bytes * (nowMs - victim.sinceMs)];
    for (const body of this.#arriving) {
      const load = loadOf(body);
      const cost = body.bytes * (nowMs - body.sinceMs);
      if (load > mostLoad || (load === mostLoad && cost > mostCost)) [victim, mostLoad, mostCost] = [body, load, cost];
    }
    return victim;
  }

  #drop(body: CountedBody, error: ServiceError): void {
    this.release(body);
    body.drop(error);
  }

  #planCheck(): void {
    this.#isCheckPlanned = true;
    const dueMs = this.#clock.monotonicMs() + INTERVAL_MS;
    this.#clock.after(INTERVAL_MS, () => {
      this.#isCheckPlanned = false;
      this.#checkRates(this.#clock.monotonicMs() - dueMs > LATE_MS);
    });
  }

  #checkRates(isLate: boolean): void {
    for (const body of this.#arriving) {
      const { received, receivedBefore } = body;
      const isSlow = receivedBefore !== undefined && received - receivedBefore < (LEAST_BYTES_PER_S * INTERVAL_MS) / 1000;
      body.receivedBefore = received;
      if (isSlow && !isLate) this.#drop(body, tooSlow());
    }
    for (const holders of [this.#accounts, this.#addresses]) {
      for (const [name, { bodies }] of holders) if (bodies === 0) holders.delete(name);
    }
    if (this.#addresses.size > 0) this.#planCheck();
  }
}

function holderOf(holders: Map<string, Holder>, name: string): Holder {
  let holder = holders.get(name);
  if (holder === undefined) holders.set(name, (holder = { bytes: 0, bodies: 0 }));
  holder.bodies++;
  return holder;
}

/** Bytes to compare with the free bytes. */
function loadOf({ account, address }: CountedBody): number {
  return Math.max(account.bytes, address.bytes / 2);
}

function overBudget(): ServiceError {
  return new ServiceError('limit.exceeded', 'The request bodies of this account or address use more memory than is available for them.', {
    headers: { 'Retry-After': '1' },
  });
}

function tooSlow(): ServiceError {
  return new ServiceError('request.timeout', `The body must arrive at ${LEAST_BYTES_PER_S} bytes per second or more; it is slower.`);
}
