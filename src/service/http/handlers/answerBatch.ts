import { setImmediate as nextIteration } from 'node:timers/promises';
import { RATE_HEADERS, type Permit } from '../../accounts/limits/RateLimit.ts';
import { problemOf } from '../../../contract/problem.ts';
import type { ServiceError } from '../../../core/ServiceError.ts';
import { answerTicks } from './answerTicks.ts';
import { asServiceError } from '../failures.ts';
import type { HttpDeps, HttpOptions } from '../HttpParts.ts';
import { RequestAborted, tooLarge } from '../readBody.ts';
import type { RequestContext } from '../RequestContext.ts';
import { splitItems } from './splitItems.ts';
import { MOST_AT_ONCE, someAtOnce } from './someAtOnce.ts';

/**
 * The answer of POST /auth/ti-tick/batch. Each item is handled like a request of its own: admission by its key, a permit of the limit, a
 * deadline. An error fails only its item; the batch ends early only if the caller disconnects.
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
  // Only a caller that has disconnected ends the batch early.
  await someAtOnce(items.length, MOST_AT_ONCE, async (index) => {
    results[index] = await answerItem(deps, request, items[index]!, bodyLimitBytes);
  });
  request.stagesMs['items'] = clock.monotonicMs() - fromMs;
  return join(results);
}

/** Throws only RequestAborted. */
async function answerItem(deps: HttpDeps, request: RequestContext, item: Buffer, limitBytes: number): Promise<Buffer> {
  let permit: Permit | undefined;
  const takePermit = async (): Promise<void> => {
    permit = await request.takePermit();
  };
  try {
    if (item.length > limitBytes) throw tooLarge(limitBytes);
    const { answer } = await answerTicks(item, deps, { request, takePermit });
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

function report({ logger, onProblem }: HttpDeps, { requestId: id }: RequestContext, error: ServiceError): void {
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
