import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import type { MemoryReason } from '../../contract/reasons.ts';
import { US_PER_MS } from '../../core/units.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';
import { MEMORY_INPUTS, type MemoryReading } from '../memory/memoryInputs.ts';
import type { MemoryLine, OwnAnswer } from '../memory/memoryLine.ts';
import { OWN_NAMES } from '../memory/OwnWeights.ts';
import type { MemoryView } from '../memory/MemoryView.ts';
import type { ServedModel } from '../model/ModelManifest.ts';

/** Why the memory of a series is not used. */
export type MemoryAbsence = MemoryReason;

/** The memory of a series at the origin of a forecast. */
export type MemoryAtOrigin = { readonly view: MemoryView; readonly line: MemoryLine; readonly version: number };

/** Whole milliseconds of the last tick, and from it to the future timestamp, as the label counts them. */
export function originOf({ series, futureUs }: Pick<TickRequest, 'series' | 'futureUs'>): {
  readonly originMs: number;
  readonly horizonMs: number;
} {
  const originMs = Math.floor((series.timesUs.at(-1) as number) / US_PER_MS);
  return { originMs, horizonMs: Math.max(1, Math.floor(futureUs / US_PER_MS) - originMs) };
}

/** Whether a version uses the memory of a series. */
export const usesMemory = ({ memory, bars }: Pick<ServedModel, 'memory' | 'bars'>, ofBars = false): boolean =>
  (ofBars ? bars?.memory : memory) !== undefined;

/** The line of a version for a request; undefined: it has none. */
const lineOf = ({ memory, bars }: Pick<ServedModel, 'memory' | 'bars'>, request: TickRequest): MemoryLine | undefined =>
  request.bars === undefined ? memory : bars?.memory;

/** Inputs that an explanation shows; the profile of bars is in their moves, not in the line. */
export const shownWeights = (model: Pick<ServedModel, 'memory' | 'bars'>, request: TickRequest): MemoryLine['weights'] | undefined => {
  const weights = lineOf(model, request)?.weights;
  return request.bars === undefined ? weights : { ...weights, prof: 1, prof_day: 1 };
};

/** Null: there is no memory. */
export function memoryAt(
  model: Pick<ServedModel, 'manifest' | 'memory' | 'bars'>,
  request: TickRequest,
  view: MemoryView | MemoryAbsence | undefined,
): MemoryAtOrigin | MemoryAbsence | null {
  if (view === undefined) return null;
  if (typeof view === 'string') return view;
  const { manifest } = model;
  const line = lineOf(model, request);
  if (line === undefined) return 'version_without_memory';
  if (view.periodMs !== (request.bars?.periodMs ?? 0)) return 'other_period';
  const { originMs, horizonMs } = originOf(request);
  // A memory that knows later ticks would look into the future.
  if (view.originMs !== originMs || view.horizonMs !== horizonMs) return 'other_origin';
  return { view, line, version: numberOf(`${manifest.id} ${manifest.createdAt}`) };
}

/** `detail.memory`: what was read of the inputs that the version weighs, and the weights of the series, or why nothing was. */
export function describeMemory(
  memory: MemoryReading | MemoryAbsence,
  weights: MemoryLine['weights'] = {},
  own: OwnAnswer | null = null,
): NonNullable<ForecastDetail['memory']> {
  if (typeof memory === 'string') return { used: false, reason: memory, since: null, outcomes: 0, inputs: null };
  const used = MEMORY_INPUTS.filter((name) => (weights[name] ?? 0) > 0);
  return {
    ...{ used: true, reason: null, since: formatTimestamp(memory.sinceMs * US_PER_MS), outcomes: memory.outcomes },
    inputs: Object.fromEntries(
      used.map((name) => {
        const input = memory.inputs[name];
        return [name, 'value' in input ? input.value : null];
      }),
    ),
    ...(own === null ? {} : { own: describeOwn(own) }),
  };
}

const describeOwn = ({ weights: { outcomes, means }, part }: OwnAnswer) => ({
  outcomes,
  part,
  weights: Object.fromEntries(OWN_NAMES.map((name, at) => [name, means[at]])),
});

/** FNV-1a: differs from version to version. */
function numberOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
