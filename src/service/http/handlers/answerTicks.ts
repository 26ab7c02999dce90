import type { BodyChecks } from '../../../contract/compileBodyChecks.ts';
import type { ReadQuery } from '../../../contract/query.ts';
import { type AnswerParts, writeLastAnswer } from '../../../contract/writeForecastAnswer.ts';
import type { Clock } from '../../../core/Clock.ts';
import type { ForecastCall, StageTimes, TickForecast } from '../../../engine/forecast/Forecaster.ts';
import { originOf } from '../../../engine/forecast/memoryAt.ts';
import { readTicks } from './readTicks.ts';
import { nameOf, withMemory } from './withMemory.ts';
import { ratedOf } from '../../../engine/live/ratedOf.ts';
import type { RequestContext } from '../RequestContext.ts';

export type TicksDeps = {
  readonly clock: Clock;
  readonly checks: Pick<BodyChecks, 'tickRequest'>;
  readonly onForecast: (stagesMs: StageTimes) => void;
};

export type TicksCall = {
  readonly request: Pick<RequestContext, 'query' | 'parts' | 'caller' | 'patience' | 'admit'>;
  /** Takes a permit of the limit, after the body is validated. */
  readonly takePermit: () => Promise<unknown>;
};

/** What was sent, and how it is rated. */
type Asked = { readonly sent: ReturnType<typeof readTicks>; readonly parseMs: number; readonly rated: ReturnType<typeof ratedOf> };

export type TicksAnswer = { readonly answer: string | Buffer; readonly stagesMs: Readonly<Record<string, number>> };

/** The answer to one tick body, alone or in a batch. Throws the errors of POST /auth/ti-tick. */
export async function answerTicks(body: Buffer, { clock, checks, onForecast }: TicksDeps, call: TicksCall): Promise<TicksAnswer> {
  const { request, takePermit } = call;
  const { query } = request;
  const patience = request.patience();
  const name = nameOf(request);
  const read = async (): Promise<Asked> => {
    const fromMs = clock.monotonicMs();
    const sent = readTicks(body, checks, query.barTime);
    const parseMs = clock.monotonicMs() - fromMs;
    await takePermit();
    return { sent, parseMs, rated: ratedOf(request.parts.rates, name, sent.ticks, query.options) };
  };
  const compute = ({ sent, parseMs, rated }: Asked, memory: ForecastCall['memory']): Promise<TickForecast> =>
    request.parts.forecast(sent.ticks, {
      deadlineMs: patience.deadlineMs,
      parseMs,
      memory,
      ...query.options,
      ...rated.options,
    });
  let asked: Asked;
  let forecast: TickForecast;
  if (name === undefined) {
    [asked, forecast] = await request.admit(patience, async () => {
      const alone = await read();
      return [alone, await compute(alone, undefined)] as const;
    });
  } else {
    // Between its two slots it waits for other requests of the series.
    asked = await request.admit(patience, read);
    const { ticks } = asked.sent;
    const forecasts = await withMemory(
      request,
      name,
      ticks,
      [originOf(ticks)],
      async ([memory]) => [await request.admit(patience, () => compute(asked, memory))],
      patience,
    );
    forecast = forecasts[0];
  }
  const { ticks, futureStamp, write } = asked.sent;
  const { parseMs, rated } = asked;
  const { remembered } = request.parts;
  const { mark, reason, detail, outlook, stagesMs } = forecast;
  const parts = detail === null ? (outlook ?? {}) : { ...outlook, detail };
  rated.add(forecast);
  if (name !== undefined) {
    remembered.settle(name, { ...ticks.series, ranges: ticks.bars?.ranges, spreadsBps: ticks.spreadsBps });
    remembered.remember(name, ticks, forecast, query.options.minMoveBps !== undefined);
  }
  const answeredMs = clock.monotonicMs();
  if (stagesMs !== null) onForecast(stagesMs);
  const answer =
    query.answer !== undefined ? writeLastAnswer(futureStamp(), reason, summaryOf(query, forecast, parts)) : write(mark, parts);
  return { answer, stagesMs: { parse: parseMs, ...stagesMs, write: clock.monotonicMs() - answeredMs } };
}

/** With `?answer=summary`: what most callers look for in the explanation. */
function summaryOf({ answer }: ReadQuery, { summary: found }: TickForecast, parts: AnswerParts): AnswerParts {
  if (answer !== 'summary') return parts;
  const { probability, decisionThreshold, minMoveBps } = found;
  return { probability, decision_threshold: decisionThreshold, min_move_bps: minMoveBps, ...parts };
}
