import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Turn } from '../accounts/limits/RateLimit.ts';
import { problemOf } from '../contract/problem.ts';
import { type ServiceError } from '../core/ServiceError.ts';
import { answerTicks } from './answerTicks.ts';
import { asServiceError } from './failures.ts';
import type { Call } from './handlers.ts';
import type { HttpDeps, HttpOptions } from './HttpParts.ts';
import { RequestAborted, tooLarge } from './readBody.ts';
import { splitItems } from './splitItems.ts';

/** Items of one batch that wait or are worked on at once: of the 64 places at work, others find the rest. */
const MOST_AT_ONCE = 16;

/**
 * The answer of POST /auth/ti-tick/batch. Each item goes the way of a request of its own: its turn in the line of its key, its turn of the limit, its
 * time limit. What is thrown for it is its problem alone; only a caller that left ends the whole.
 */
export async function answerBatch(deps: HttpDeps, { bodyLimitBytes }: Pick<HttpOptions, 'bodyLimitBytes'>, call: Call): Promise<Buffer> {
  const { clock } = deps;
  const body = await call.bytes();
  const splitFromMs = clock.monotonicMs();
  const items = await splitItems(body, deps.checks, () => nextTurn());
  const fromMs = clock.monotonicMs();
  call.stagesMs['split'] = fromMs - splitFromMs;
  const results = new Array<Buffer>(items.length);
  let next = 0;
  let hasLeft = false;
  const workOn = async (): Promise<void> => {
    while (next < items.length && !hasLeft) {
      const index = next++;
      try {
        results[index] = await answerItem(deps, call, items[index]!, bodyLimitBytes);
      } catch (error) {
        hasLeft = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, items.length) }, workOn));
  call.stagesMs['items'] = clock.monotonicMs() - fromMs;
  return join(results);
}

/** Throws RequestAborted only. */
async function answerItem(deps: HttpDeps, call: Call, item: Buffer, limitBytes: number): Promise<Buffer> {
  let turn: Turn | undefined;
  try {
    const { answer } = await call.inTurn((asking) => {
      if (item.length > limitBytes) throw tooLarge(limitBytes);
      const admit = async (): Promise<void> => {
        turn = await call.take();
      };
      return answerTicks(item, deps, { ...call, asking, admit });
    });
    return Buffer.concat([OK, typeof answer === 'string' ? Buffer.from(answer) : answer, END]);
  } catch (thrown) {
    if (turn !== undefined) call.setHeaders(await turn.giveBack());
    if (thrown instanceof RequestAborted) throw thrown;
    const error = asServiceError(thrown, 'tickBatch');
    report(deps, call, error);
    const { RateLimit, 'RateLimit-Policy': policy } = error.headers;
    if (RateLimit !== undefined && policy !== undefined) call.setHeaders({ RateLimit, 'RateLimit-Policy': policy });
    return Buffer.from(JSON.stringify({ status: error.status, problem: problemOf(error, call.requestId) }));
  }
}

function report({ logger, onProblem }: HttpDeps, { requestId: id }: Call, error: ServiceError): void {
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
