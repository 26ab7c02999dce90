import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS, type WindowMeasures, type WindowRefusal } from '../../src/engine/features/WindowMeasures.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { lastUs } from './walkTicks.ts';

export type Features = { measures: WindowMeasures; sequence: Float32Array; context: Float32Array };

/** Features of the whole series with its default threshold times `thetaFactor`, from a separate builder; or the reason for no features. */
export function buildFeatures(series: TickSeries, horizonMs: number, thetaFactor = 1): Features | WindowRefusal {
  const builder = new FeatureBuilder();
  const measures = builder.read(series, 0, series.timesUs.length, lastUs(series) + horizonMs * 1000);
  if (typeof measures === 'string') return measures;
  const sequence = new Float32Array(SEQUENCE_STEPS * SEQUENCE_COLUMNS);
  const context = new Float32Array(CONTEXT_COLUMNS);
  return builder.write(measures.thetaDefault * thetaFactor, sequence, 0, context, 0) ?? { measures, sequence, context };
}

export function featuresOf(series: TickSeries, horizonMs: number, thetaFactor = 1): Features {
  const features = buildFeatures(series, horizonMs, thetaFactor);
  if (typeof features === 'string') throw new Error(`refused: ${features}`);
  return features;
}
