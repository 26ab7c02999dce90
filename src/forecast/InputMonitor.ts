import type { ServedModel } from '../model/ModelManifest.ts';
import { RecentInputs, type ColumnDrift } from './RecentInputs.ts';

/** Forecasts that are looked back on. */
export const RECENT_FORECASTS = 2000;
/** Below this nothing is claimed: with so few the index of ten bins is at some 0.05 where nothing has moved. */
export const FEWEST_FORECASTS = 200;

export type InputDrift = {
  /** Forecasts that it is computed from. */
  readonly forecasts: number;
  /** Largest first; null: nothing is claimed, and `why` says why. */
  readonly columns: readonly ColumnDrift[] | null;
  readonly why: string | null;
};

/** How far the inputs of each served version have moved from those that it was trained on. A version that is loaded anew begins anew. */
export class InputMonitor {
  readonly #recent = new WeakMap<ServedModel, RecentInputs>();

  /** One row of the network's input at the window's own threshold. */
  add(model: ServedModel, context: Float32Array): void {
    if (model.inputs === undefined) return;
    let recent = this.#recent.get(model);
    if (recent === undefined) this.#recent.set(model, (recent = new RecentInputs(model.inputs, RECENT_FORECASTS)));
    recent.add(context);
  }

  read(model: ServedModel): InputDrift {
    if (model.inputs === undefined)
      return { forecasts: 0, columns: null, why: 'The version does not say what its inputs were in training.' };
    const recent = this.#recent.get(model);
    const forecasts = recent?.count ?? 0;
    if (recent === undefined || forecasts < FEWEST_FORECASTS)
      return { forecasts, columns: null, why: `${FEWEST_FORECASTS} forecasts are needed, ${forecasts} were asked for.` };
    return { forecasts, columns: recent.drift(), why: null };
  }
}
