import type { BodyChecks } from '../../../contract/compileBodyChecks.ts';
import { writeLastAnswer } from '../../../contract/writeForecastAnswer.ts';
import type { Clock } from '../../../core/Clock.ts';
import type { StageTimes } from '../../../engine/forecast/Forecaster.ts';
import { originOf } from '../../../engine/forecast/memoryAt.ts';
import { readTicks } from './readTicks.ts';
import { outlookOf } from './outlookOf.ts';
import { withMemory } from './withMemory.ts';
import { ratedOf } from '../../../engine/live/ratedOf.ts';
import type { RequestContext } from '../RequestContext.ts';

export type TicksDeps = {
  readonly clock: Clock;
  readonly checks: Pick<BodyChecks, 'tickRequest'>;
  readonly onForecast: (stagesMs: StageTimes) => void;
};

export type TicksCall = {
  readonly request: Pick<RequestContext, 'query' | 'parts' | 'caller'>;
  readonly deadlineMs: number;
  /** Takes a permit of the limit, after the body is validated. */
  readonly takePermit: () => Promise<unknown>;
};

export type TicksAnswer = { readonly answer: string | Buffer; readonly stagesMs: Readonly<Record<string, number>> };

/** The answer to one tick body, alone or in a batch. Throws the errors of POST /auth/ti-tick. */
export async function answerTicks(body: Buffer, { clock, checks, onForecast }: TicksDeps, call: TicksCall): Promise<TicksAnswer> {
  const { request, deadlineMs, takePermit } = call;
  const { query } = request;
  const readMs = clock.monotonicMs();
  const { ticks, futureStamp, write } = readTicks(body, checks, query.barTime);
  const parseMs = clock.monotonicMs() - readMs;
  await takePermit();
  const { remembered } = request.parts;
  const name =
    query.series === undefined || request.caller === undefined ? undefined : { accountId: request.caller.accountId, series: query.series };
  const rated = ratedOf(request.parts.rates, name, ticks, query);
  const forecasts = await withMemory(request, name, ticks, [originOf(ticks)], async ([memory]) => [
    await request.parts.forecast(ticks, {
      detail: query.detail,
      deadlineMs,
      parseMs,
      memory,
      ...(query.minMoveBps === undefined ? {} : { minMoveBps: query.minMoveBps }),
      ...(query.minProbability === undefined ? {} : { minProbability: query.minProbability }),
      ...outlookOf(query),
      ...rated.options,
      ...(query.modelId === undefined ? {} : { modelId: query.modelId }),
      ...(query.clockOff === undefined ? {} : { clockOff: query.clockOff }),
    }),
  ]);
  const forecast = forecasts[0]!;
  const { mark, reason, detail, outlook, stagesMs } = forecast;
  const parts = detail === null ? (outlook ?? {}) : { ...outlook, detail };
  rated.add(forecast);
  if (name !== undefined) {
    remembered.settle(name, ticks.series);
    remembered.remember(name, ticks, forecast, query.minMoveBps !== undefined);
  }
  const answeredMs = clock.monotonicMs();
  if (stagesMs !== null) onForecast(stagesMs);
  const answer = query.lastOnly === true ? writeLastAnswer(futureStamp(), reason, parts) : write(mark, parts);
  return { answer, stagesMs: { ...(stagesMs ?? { parse: parseMs }), write: clock.monotonicMs() - answeredMs } };
}
