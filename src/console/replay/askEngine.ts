import type { FormOptions } from '../FormOptions.ts';
import { ticksUpTo } from '../ticks/TickSeries.ts';
import { failureOf } from '../service/failureText.ts';
import type { PageEngine } from '../worker/openPageEngine.ts';
import type { ReplayParts, ReplayPlan } from './ReplayRun.ts';

/** What answers at the service. any: there is none. */
export type Served = { readonly model: string; readonly ruleset: string } | 'any';

/** Whether an engine gives the answers of the service. */
export const isServed = (engine: Pick<PageEngine, 'version' | 'ruleset'>, served: Served): boolean =>
  served === 'any' || (engine.version === served.model && engine.ruleset.hash === served.ruleset);

/** Answers windows in this thread. Between two batches, `rest` lets messages to the worker in. */
export function askEngine(
  engine: Pick<PageEngine, 'forecast'>,
  { series, count, horizonMs, options }: Pick<ReplayPlan, 'series' | 'count' | 'horizonMs'> & { readonly options: FormOptions },
  rest: () => Promise<void>,
): ReplayParts['ask'] {
  return async (origins) => {
    await rest();
    const answers = [];
    for (const origin of origins) {
      const window = { series: ticksUpTo(series, origin, count), horizonMs };
      answers.push(await engine.forecast(window, { ...options, counterfactual: false }).catch(failureOf));
    }
    return answers;
  };
}
