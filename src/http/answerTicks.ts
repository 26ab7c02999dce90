import type { BodyChecks } from '../contract/bodyChecks.ts';
import type { ReadQuery } from '../contract/query.ts';
import { writeLastAnswer } from '../contract/writeLastAnswer.ts';
import type { Clock } from '../core/Clock.ts';
import type { Asking, HttpParts, StageTimes } from './HttpParts.ts';
import { readTicks } from './readTicks.ts';

export type TicksDeps = {
  readonly clock: Clock;
  readonly checks: Pick<BodyChecks, 'tickRequest'>;
  readonly onForecast: (stagesMs: StageTimes) => void;
};

export type TicksCall = {
  readonly query: ReadQuery;
  readonly asking: Asking;
  readonly parts: () => HttpParts;
  /** Takes a turn of the limit, once the body is in order. */
  readonly admit: () => Promise<unknown>;
};

export type TicksAnswer = { readonly answer: string | Buffer; readonly stagesMs: Readonly<Record<string, number>> };

/** The answer to one body of ticks, posted alone or in a batch. Throws what POST /auth/ti-tick answers. */
export async function answerTicks(body: Buffer, { clock, checks, onForecast }: TicksDeps, call: TicksCall): Promise<TicksAnswer> {
  const { query, asking, parts, admit } = call;
  const readMs = clock.monotonicMs();
  const { ticks, futureStamp, write } = readTicks(body, checks);
  const parseMs = clock.monotonicMs() - readMs;
  await admit();
  const { mark, reason, detail, stagesMs } = await parts().forecast(ticks, {
    detail: query.detail,
    ...(query.minMoveBps === undefined ? {} : { minMoveBps: query.minMoveBps }),
    ...(query.modelId === undefined ? {} : { modelId: query.modelId }),
    asking,
    parseMs,
  });
  const answeredMs = clock.monotonicMs();
  if (stagesMs !== null) onForecast(stagesMs);
  const answer = query.lastOnly === true ? writeLastAnswer(futureStamp(), reason, detail) : write(mark, detail);
  return { answer, stagesMs: { ...(stagesMs ?? { parse: parseMs }), write: clock.monotonicMs() - answeredMs } };
}
