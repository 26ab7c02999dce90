import { usesMemory } from '../../engine/forecast/memoryAt.ts';
import type { ModelAnswer, ModelSummary } from '../../contract/catalog.ts';
import { BUCKET_UPPER_S } from '../../engine/features/horizonBuckets.ts';
import type { InputDrift, InputMonitor } from '../../engine/forecast/InputMonitor.ts';
import type { HttpParts } from '../http/HttpParts.ts';
import type { ModelCatalog, ServedModel } from '../../engine/model/ModelManifest.ts';
import { suitableTicks } from '../../engine/model/suitableTicks.ts';

function summaryOf(model: ServedModel, defaultId: string): ModelSummary {
  const { id, manifest, bars } = model;
  const { horizonS, horizonToWindow, medianGapS, logThetaRatio } = manifest.trained;
  return {
    id,
    created_at: manifest.createdAt,
    default: id === defaultId,
    synthetic: manifest.synthetic,
    kind: manifest.lineage.kind,
    parent: manifest.lineage.parent,
    gate: { ...manifest.gate },
    trained: {
      horizon_s: [...horizonS],
      horizon_to_window: [...horizonToWindow],
      median_gap_s: [...medianGapS],
      log_threshold_ratio: [...logThetaRatio],
    },
    heads: manifest.heads.map((head) => ({
      name: head.name,
      direction_passed: head.directionPassed,
      decision_threshold: head.cut,
    })),
    bars: (bars?.heads ?? []).map(({ periodS, horizonS, cut }) => ({ period_s: periodS, horizon_s: horizonS, decision_threshold: cut })),
    window_ticks: BUCKET_UPPER_S.map((upper) => ({
      up_to_s: Number.isFinite(upper) ? upper : null,
      ticks: suitableTicks(manifest, upper),
      with_memory: suitableTicks(manifest, upper, usesMemory(model)),
    })),
  };
}

function driftOf({ forecasts, columns, why }: InputDrift): ModelAnswer['drift'] {
  return { forecasts, columns: columns === null ? null : columns.map(({ name, psi }) => ({ name, psi })), why };
}

/** The loaded versions as the routes show them. */
export function modelDirectory(
  models: ModelCatalog,
  { inputs, files }: { readonly inputs: InputMonitor } & Pick<HttpParts['models'], 'files'>,
): HttpParts['models'] {
  return {
    files,
    list: () => ({ default: models.defaultId, models: models.list().map((model) => summaryOf(model, models.defaultId)) }),
    usesMemory: (id, ofBars) => {
      const model = models.find(id ?? models.defaultId);
      return model !== undefined && usesMemory(model, ofBars);
    },
    find: (id) => {
      const model = models.find(id);
      if (model === undefined) return undefined;
      return {
        ...summaryOf(model, models.defaultId),
        drift: driftOf(inputs.read(model)),
        card: model.card,
      };
    },
  };
}
