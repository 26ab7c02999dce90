import { CONTEXT_AT as AT } from './columns.ts';
import type { ReturnSums } from './measureReturns.ts';
import type { WindowMeasures } from './WindowMeasures.ts';
import { GRID_POINTS, type Workspace } from './Workspace.ts';
import type { Ranges } from './writePriceContext.ts';

/** Writes the raw context columns of THRESHOLD_TABLE, all columns that depend on theta. */
export function writeThreshold(space: Workspace, measures: WindowMeasures, theta: number, sums: ReturnSums, ranges: Ranges): void {
  const { moves, pastMoves, pastCount, contextRaw: out } = space;
  const rootHorizon = Math.sqrt(measures.horizonS);
  out[AT.volatility_30_theta] = Math.log((measures.sigmas[0] * rootHorizon) / theta);
  out[AT.volatility_120_theta] = Math.log((measures.sigmas[1] * rootHorizon) / theta);
  out[AT.volatility_600_theta] = Math.log(measures.sigmaHorizon / theta);
  out[AT.volatility_window_theta] = Math.log((measures.sigmas[3] * rootHorizon) / theta);
  out[AT.cost_theta] = measures.cost / theta;
  out[AT.quantile_theta] = measures.quantileMove / theta;
  out[AT.log_quantile_theta] = Math.log(measures.quantileMove / theta);
  out[AT.theta_to_default] = Math.log(theta / measures.thetaDefault);
  out[AT.share_above_theta] = countAbove(moves, GRID_POINTS, theta) / GRID_POINTS;
  out[AT.past_label_share] = (countAbove(pastMoves, pastCount, theta) + 1) / (pastCount + 5);
  const steps = theta / sums.smallest;
  out[AT.theta_in_steps] = Math.log(steps);
  out[AT.step_ceiling] = Math.log((Math.floor(steps + 1e-6) + 1) / steps);
  out[AT.range_horizon_theta] = ranges.horizon / theta;
  out[AT.range_60_theta] = ranges.minute / theta;
  out[AT.largest_return_theta] = sums.largest / theta;
}

function countAbove(values: Float64Array, count: number, theta: number): number {
  let above = 0;
  for (let i = 0; i < count; i++) if (values[i]! > theta) above++;
  return above;
}
