import { SETUP_HORIZONS_S, setupOf, setupOrigins, setupWindow, type Setup } from '../../engine/scoring/usefulSetup.ts';
import { suitableBarsOfFile } from '../../engine/model/suitableTicks.ts';
import type { Version } from '../service/Service.ts';
import { barHorizonsS } from '../ticks/barHorizonsS.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';
import { suitableCount } from '../ticks/suitableCount.ts';
import { ReplayRun, type ReplayParts, type ReplayPlan } from './ReplayRun.ts';

/** What the version can do on these ticks at each horizon, as `tickmark doctor FILE` tells. @throws Failure that does not pass by itself */
export async function findSetups(
  series: TickSeries,
  { mostHorizonToWindow, cuts, windowTicks }: Version,
  {
    askOf,
    wait,
    onSetup,
  }: Pick<ReplayParts, 'wait'> & {
    /** Who answers the windows of one length and horizon. */
    readonly askOf: (window: Pick<ReplayPlan, 'count' | 'horizonMs'>) => ReplayParts['ask'];
    readonly onSetup: (setup: Setup) => void;
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
    const ask = askOf(window);
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
    onSetup(setupOf({ horizonS, ticks, noWindow, cut: cuts[head] ?? null }, run.windows));
  }
}
