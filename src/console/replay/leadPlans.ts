import { suitableBarsOfFile } from '../../engine/model/suitableTicks.ts';
import { SETUP_HORIZONS_S, setupWindow } from '../../engine/scoring/usefulSetup.ts';
import type { Version } from '../service/Service.ts';
import { barHorizonsS, suitableCount } from '../ticks/suitableCount.ts';
import { MS_PER_S, type TickSeries } from '../ticks/TickSeries.ts';
import type { FormOptions } from '../FormOptions.ts';
import { replayOrigins, type ReplayPlan } from './ReplayRun.ts';

/** Windows of each row but that of the form, whose interval is then about as wide as the differences between horizons. */
const MOST_WINDOWS = 500;

type Asked = Pick<ReplayPlan, 'horizonMs' | 'count'> & { readonly options: FormOptions };

/** One row of the table next to that of the form. */
export type LeadPlan = ReplayPlan & { readonly options: FormOptions };
/** A horizon without a row, and why. */
export type NoLead = { readonly horizonMs: number; readonly noWindow: string };

/**
 * What is replayed next to the horizon and threshold of the form: every horizon, that of the form too, at the threshold of each window and, if
 * the user named one, at theirs. No two outcomes of a row overlap.
 */
export function leadPlans(
  series: TickSeries,
  { mostHorizonToWindow, windowTicks }: Pick<Version, 'mostHorizonToWindow' | 'windowTicks'>,
  form: Asked,
): { readonly plans: readonly LeadPlan[]; readonly without: readonly NoLead[] } {
  const { timesUs, bars } = series;
  const plans: LeadPlan[] = [];
  const without: NoLead[] = [];
  const horizonsS = bars === undefined ? SETUP_HORIZONS_S : barHorizonsS(bars.periodMs);
  for (const horizonMs of new Set([form.horizonMs, ...horizonsS.map((horizonS) => horizonS * MS_PER_S)])) {
    const isOfForm = horizonMs === form.horizonMs;
    const suited = suitableCount(windowTicks, horizonMs, timesUs.length);
    const { ticks, noWindow } = isOfForm
      ? { ticks: form.count, noWindow: null }
      : bars === undefined
        ? setupWindow(timesUs, horizonMs / MS_PER_S, mostHorizonToWindow, suited)
        : { ticks: suitableBarsOfFile(timesUs.length), noWindow: null };
    if (ticks === null) {
      without.push({ horizonMs, noWindow: noWindow ?? '' });
      continue;
    }
    const origins = replayOrigins(series, ticks, horizonMs, MOST_WINDOWS);
    const { minMoveBps: own } = form.options;
    for (const minMoveBps of new Set([undefined, own]))
      if (!isOfForm || minMoveBps !== own)
        plans.push({ series, origins, count: ticks, horizonMs, options: { ...form.options, minMoveBps } });
  }
  return { plans, without };
}
