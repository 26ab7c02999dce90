import { SETUP_HORIZONS_S, setupOf, setupOrigins, setupWindow, type Setup } from '../../engine/scoring/usefulSetup.ts';
import { suitableBarsOfFile } from '../../engine/model/suitableTicks.ts';
import type { Version } from '../service/Service.ts';
import { barHorizonsS } from '../ticks/barHorizonsS.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';
import { suitableCount } from '../ticks/suitableCount.ts';
import { leadRow, type LeadRow } from './leadTable.ts';
import { ReplayRun, type ReplayParts, type ReplayPlan } from './ReplayRun.ts';

/** What the version can do on these ticks at each horizon, as `tickmark doctor FILE` tells. @throws Failure that does not pass by itself */
export async function findSetups(
  series: TickSeries,
  { mostHorizonToWindow, cuts, windowTicks }: Version,
  {
    askOf,
    wait,
    costBps,
    onSetup,
  }: Pick<ReplayParts, 'wait'> & {
    /** Who answers the windows of one length, horizon and threshold; null: that of each window. */
    readonly askOf: (window: Pick<ReplayPlan, 'count' | 'horizonMs'> & { readonly minMoveBps: number | null }) => ReplayParts['ask'];
    /** Of the user; null: not named. */
    readonly costBps: number | null;
    readonly onSetup: (setup: Setup, rows: readonly LeadRow[]) => void;
  },
): Promise<void> {
  const rows = series.timesUs.length;
  const { bars } = series;
  for (const horizonS of bars === undefined ? SETUP_HORIZONS_S : barHorizonsS(bars.periodMs)) {
    const suited = suitableCount(windowTicks, horizonS * 1000, rows);
    const { ticks, noWindow } =
      bars === undefined
        ? setupWindow(series.timesUs, horizonS, mostHorizonToWindow, suited)
        : { ticks: suitableBarsOfFile(rows), noWindow: null };
    let head = '';
    const origins = ticks === null ? new Int32Array() : setupOrigins(series.timesUs, ticks);
    const window = { count: ticks ?? 0, horizonMs: horizonS * 1000 };
    const windowsAt = async (minMoveBps: number | null): Promise<ReplayRun['windows']> => {
      const ask = askOf({ ...window, minMoveBps });
      const run = new ReplayRun(
        { series, origins, ...window },
        {
          ask: async (places, signal) => {
            const results = await ask(places, signal);
            for (const result of results) if ('detail' in result) head = result.detail.model.head;
            return results;
          },
          wait,
          onProgress: () => {},
        },
      );
      await run.run();
      return run.windows;
    };
    const windows = await windowsAt(null);
    const lead = [leadRow(window.horizonMs, 'by volatility', windows)];
    if (costBps !== null && origins.length > 0) lead.push(leadRow(window.horizonMs, 'your cost', await windowsAt(costBps)));
    onSetup(setupOf({ horizonS, ticks, noWindow, cut: cuts[head] ?? null }, windows), lead);
  }
}
