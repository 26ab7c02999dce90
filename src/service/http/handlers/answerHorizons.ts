import type { BodyChecks } from '../../../contract/compileBodyChecks.ts';
import { statusOf } from '../../../contract/forecastDetail.ts';
import { LONGEST_MS } from '../../../contract/duration.ts';
import type { BarHorizon, Horizon } from '../../../contract/queryParameters.ts';
import type { HorizonsAnswer } from '../../../contract/tickForecast.ts';
import type { Clock } from '../../../core/Clock.ts';
import { fieldProblem, invalidRequest } from '../../../core/ServiceError.ts';
import { MS_PER_SECOND, US_PER_MS } from '../../../core/units.ts';
import type { ForecastCall, StageTimes, TickForecast } from '../../../engine/forecast/Forecaster.ts';
import type { TickRequest } from '../../../ticks/parseTickRequest.ts';
import { END_US, MAX_YEAR } from '../../../ticks/timestamps.ts';
import { ratedOf } from '../../../engine/live/ratedOf.ts';
import type { RequestContext } from '../RequestContext.ts';
import { originOf } from '../../../engine/forecast/memoryAt.ts';
import { nameOf, withMemory } from './withMemory.ts';
import { readObserved, type ObservedTicks } from './readTicks.ts';

type HorizonsDeps = {
  readonly clock: Clock;
  readonly checks: Pick<BodyChecks, 'observedTicks'>;
  readonly onForecast: (stagesMs: StageTimes) => void;
};

export type HorizonsRequest = Pick<RequestContext, 'query' | 'parts' | 'caller' | 'patience' | 'admit' | 'takeRequestPermit' | 'stagesMs'>;

type Plan = { readonly horizon: Horizon; readonly ticks: TickRequest; readonly minMoveBps: number | 'cost' | undefined };

/**
 * The answer of POST /auth/ti-tick with `?horizons=`. Each horizon is admitted like a request of its own, so that 64 forecasts do not delay
 * other callers. The forecasts of a horizon start together with one window object: they share one pass of the features and of the LSTM, which
 * they would lose to other windows if they waited for slots of their own. All or nothing: an error of one fails the request.
 */
export async function answerHorizons(body: Buffer, { clock, checks, onForecast }: HorizonsDeps, request: HorizonsRequest): Promise<string> {
  const { query, parts } = request;
  const { horizons = [], thresholds = [undefined], options } = query;
  const patience = request.patience();
  const { observed, plans } = await request.admit(patience, async () => {
    const fromMs = clock.monotonicMs();
    const read = readObserved(body, checks, query.barTime);
    request.stagesMs['parse'] = clock.monotonicMs() - fromMs;
    const wanted = horizonsOf(horizons, read.bars);
    await request.takeRequestPermit(wanted.length * thresholds.length);
    return { observed: read, plans: plansOf(read, wanted, thresholds) };
  });
  const fromMs = clock.monotonicMs();
  const name = nameOf(request);
  const rated = plans.map(({ ticks, minMoveBps }) => ratedOf(parts.rates, name, ticks, { ...options, minMoveBps }));
  const origins = plans.map(({ ticks }) => originOf(ticks));
  const compute = async (memories: readonly ForecastCall['memory'][]): Promise<readonly TickForecast[]> => {
    const forecast = (index: number): Promise<TickForecast> => {
      const { ticks, minMoveBps } = plans[index];
      return parts.forecast(ticks, {
        minMoveBps,
        deadlineMs: patience.deadlineMs,
        memory: memories[index],
        ...options,
        ...rated[index].options,
      });
    };
    const ofHorizons = await Promise.all(
      Array.from({ length: plans.length / thresholds.length }, (_, horizon) =>
        request.admit(patience, () => Promise.all(thresholds.map((_, at) => forecast(horizon * thresholds.length + at)))),
      ),
    );
    return ofHorizons.flat();
  };
  const forecasts = await (name === undefined
    ? compute(origins.map(() => undefined))
    : withMemory(request, name, observed, origins, compute, patience));
  request.stagesMs['forecasts'] = clock.monotonicMs() - fromMs;
  if (name !== undefined)
    parts.remembered.settle(name, { ...observed.series, ranges: observed.bars?.ranges, spreadsBps: observed.spreadsBps });
  const answer: HorizonsAnswer = {
    forecasts: plans.map(({ horizon, ticks, minMoveBps }, index) => {
      const forecast = forecasts[index];
      rated[index].add(forecast);
      if (name !== undefined) parts.remembered.remember(name, ticks, forecast, minMoveBps !== undefined);
      if (forecast.stagesMs !== null) onForecast(forecast.stagesMs);
      return entryOf(horizon.text, observed.stampOf(ticks.futureUs), forecast);
    }),
  };
  return JSON.stringify(answer);
}

/** Horizons in bars last as long as so many of the bars that were sent. */
function horizonsOf(horizons: readonly (Horizon | BarHorizon)[], bars: TickRequest['bars']): readonly Horizon[] {
  return horizons.map((horizon) => {
    if ('ms' in horizon) return horizon;
    if (bars === undefined) {
      const detail = `horizon_bars is sent with ticks, which have no length; horizons=60s names a time.`;
      throw invalidRequest([fieldProblem('?horizon_bars', 'query.without_bars', detail)]);
    }
    const ms = horizon.bars * bars.periodMs;
    if (ms <= LONGEST_MS) return { text: horizon.text, ms };
    const detail = `horizon_bars contains ${horizon.bars}: so many bars of ${bars.periodMs / MS_PER_SECOND} s last longer than a day.`;
    throw invalidRequest([fieldProblem('?horizon_bars', 'horizon_bars.out_of_range', detail)]);
  });
}

/** Horizon by horizon, so that forecasts of one window start one after the other. */
function plansOf(
  { stampOf: _, ...observed }: ObservedTicks,
  horizons: readonly Horizon[],
  thresholds: readonly (number | 'cost' | undefined)[],
): Plan[] {
  const lastUs = observed.series.timesUs.at(-1)!;
  return horizons.flatMap((horizon) => {
    const futureUs = lastUs + horizon.ms * US_PER_MS;
    if (futureUs >= END_US) {
      const detail = `horizons contains ${horizon.text}, which ends after the year ${MAX_YEAR}.`;
      throw invalidRequest([fieldProblem('?horizons', 'timestamp.out_of_range', detail)]);
    }
    const ticks = { ...observed, futureUs };
    return thresholds.map((minMoveBps) => ({ horizon, ticks, minMoveBps }));
  });
}

function entryOf(
  horizon: string,
  future: string,
  { mark, reason, summary, outlook, detail }: TickForecast,
): HorizonsAnswer['forecasts'][number] {
  const entry = {
    horizon,
    timestamp: future,
    future,
    min_move_bps: summary.minMoveBps,
    probability: summary.probability,
    decision_threshold: summary.decisionThreshold,
    trend_identified: mark,
    status: statusOf(reason),
    reason,
    ...outlook,
  };
  return detail === null ? entry : { ...entry, detail };
}
