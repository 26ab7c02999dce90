import type { ServedModel } from '../model/ModelManifest.ts';
import { RecentInputs, type ColumnDrift } from './RecentInputs.ts';

/** Number of recent forecasts from which the drift is computed. */
export const RECENT_FORECASTS = 2000;
/** Minimum for a result: with fewer, the index of ten bins is about 0.05 even without any drift. */
export const FEWEST_FORECASTS = 200;

export type InputDrift = {
  /** Number of forecasts in the result. */
  readonly forecasts: number;
  /** Largest first; null: no result, and `why` gives the reason. */
  readonly columns: readonly ColumnDrift[] | null;
  readonly why: string | null;
};

/** Measures how far the inputs of each served version have drifted from its training inputs. Reloading a version resets its monitor. */
export class InputMonitor {
  readonly #recent = new WeakMap<ServedModel, RecentInputs>();

  /** Adds one row of network input, at the default threshold of the window. */
  add(model: ServedModel, context: Float32Array): void {
    if (model.inputs === undefined) return;
    let recent = this.#recent.get(model);
    if (recent === undefined) this.#recent.set(model, (recent = new RecentInputs(model.inputs, RECENT_FORECASTS)));
    recent.add(context);
  }

  read(model: ServedModel): InputDrift {
    if (model.inputs === undefined) return { forecasts: 0, columns: null, why: 'The version does not declare its training inputs.' };
    const recent = this.#recent.get(model);
    const forecasts = recent?.count ?? 0;
    if (recent === undefined || forecasts < FEWEST_FORECASTS)
      return { forecasts, columns: null, why: `${FEWEST_FORECASTS} forecasts are needed; there were ${forecasts}.` };
    return { forecasts, columns: recent.drift(), why: null };
  }
}
