import { setImmediate as nextIteration } from 'node:timers/promises';
import { RATE_HEADERS, type Permit } from '../../accounts/limits/RateLimit.ts';
import { problemOf } from '../../../contract/problem.ts';
import type { ReadQuery } from '../../../contract/query.ts';
import { plural } from '../../../core/plural.ts';
import { fieldProblem, invalidRequest, type ServiceError } from '../../../core/ServiceError.ts';
import { answerHorizons, type HorizonsRequest } from './answerHorizons.ts';
import { answerTicks } from './answerTicks.ts';
import { asServiceError } from '../failures.ts';
import type { HttpDeps, HttpOptions } from '../HttpParts.ts';
import { RequestAborted, tooLarge } from '../readBody.ts';
import type { RequestContext } from '../RequestContext.ts';
import { splitItems } from './splitItems.ts';

/** Forecasts of one request that may be queued or in flight at once: the rest of the 64 slots stays free for others. */
const MOST_AT_ONCE = 16;

type Item = HorizonsRequest & Pick<RequestContext, 'requestId' | 'setHeaders'>;

/**
 * The answer of POST /auth/ti-tick/batch. Each item is handled like a request of its own: admission by its key, a permit of the limit, a
 * deadline. Items of one series are answered in order. An error fails only its item; the batch ends early only if the caller disconnects.
 */
export async function answerBatch(
  deps: HttpDeps,
  { bodyLimitBytes }: Pick<HttpOptions, 'bodyLimitBytes'>,
  request: RequestContext,
): Promise<Buffer> {
  const { clock } = deps;
  const body = await request.bytes();
  const splitFromMs = clock.monotonicMs();
  const items = await splitItems(body, deps.checks, () => nextIteration());
  const fromMs = clock.monotonicMs();
  request.stagesMs['split'] = fromMs - splitFromMs;
  const results = new Array<Buffer>(items.length);
  const names = seriesOfItems(request.query, items.length);
  const chains = chainsOf(names);
  // Only a caller that has disconnected ends the batch early.
  await someAtOnce(chains.length, async (chain) => {
    for (const index of chains[chain]) results[index] = await answerItem(deps, itemOf(request, names[index]), items[index], bodyLimitBytes);
  });
  request.stagesMs['items'] = clock.monotonicMs() - fromMs;
  return join(results);
}

/** The series of each item. Throws ServiceError `request.invalid` for another number of names. */
function seriesOfItems({ series, seriesOfItems: named }: ReadQuery, count: number): readonly (string | undefined)[] {
  if (named === undefined) return new Array<string | undefined>(count).fill(series);
  if (named.length === count) return named;
  const detail = `series must be one name, or one for each of ${plural(count, 'item')}; it is ${named.length} names.`;
  throw invalidRequest([fieldProblem('?series', 'query.malformed', detail)]);
}

/** Indices of the items that are answered one after the other: those of one series, so that each learns from those before it. */
function chainsOf(names: readonly (string | undefined)[]): readonly (readonly number[])[] {
  const chains = new Map<string | number, number[]>();
  for (const [index, name] of names.entries()) {
    const key = name ?? index;
    chains.set(key, [...(chains.get(key) ?? []), index]);
  }
  return [...chains.values()];
}

/** An item as a request of its own. */
function itemOf(request: RequestContext, series: string | undefined): Item {
  const { parts, caller, query, stagesMs, requestId } = request;
  return {
    ...{ parts, caller, stagesMs, requestId },
    query: series === undefined ? query : { ...query, series },
    patience: () => request.patience(),
    admit: (patience, run) => request.admit(patience, run),
    takeRequestPermit: (count) => request.takePermit(count),
    setHeaders: (headers) => request.setHeaders(headers),
  };
}

/** Throws only RequestAborted. */
async function answerItem(deps: HttpDeps, item: Item, body: Buffer, limitBytes: number): Promise<Buffer> {
  let permit: Permit | undefined;
  const takePermit = async (count?: number): Promise<Permit> => (permit = await item.takeRequestPermit(count));
  const request = { ...item, takeRequestPermit: takePermit };
  try {
    if (body.length > limitBytes) throw tooLarge(limitBytes);
    const answer =
      item.query.horizons === undefined
        ? (await answerTicks(body, deps, { request, takePermit })).answer
        : await answerHorizons(body, deps, request);
    return Buffer.concat([OK, typeof answer === 'string' ? Buffer.from(answer) : answer, END]);
  } catch (thrown) {
    if (permit !== undefined) request.setHeaders(await permit.giveBack());
    if (thrown instanceof RequestAborted) throw thrown;
    const error = asServiceError(thrown, 'tickBatch');
    report(deps, request, error);
    for (const name of RATE_HEADERS) if (error.headers[name] !== undefined) request.setHeaders({ [name]: error.headers[name] });
    return Buffer.from(JSON.stringify({ status: error.status, problem: problemOf(error, request.requestId) }));
  }
}

function report({ logger, onProblem }: HttpDeps, { requestId: id }: Pick<Item, 'requestId'>, error: ServiceError): void {
  if (error.status >= 500 && error.status !== 503) {
    logger.error('item of a batch failed', { id, code: error.code, error: error.cause ?? error });
  }
  onProblem(error.code);
}

const OK = Buffer.from('{"status":200,"body":');
const END = Buffer.from('}');
const COMMA = Buffer.from(',');

function join(results: readonly Buffer[]): Buffer {
  const parts = results.flatMap((result, i) => (i === 0 ? [result] : [COMMA, result]));
  return Buffer.concat([Buffer.from('{"results":['), ...parts, Buffer.from(']}')]);
}

/** Runs `work` for 0 to `count` - 1, at most MOST_AT_ONCE at once, in order of start. After an error no further one starts; throws the first error. */
async function someAtOnce(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  let hasFailed = false;
  const workOn = async (): Promise<void> => {
    while (next < count && !hasFailed) {
      try {
        await work(next++);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, count) }, workOn));
}
