import { type MemoryLine, readMemoryLine } from '../memory/memoryLine.ts';
import { type BarModel, readBarModel } from './BarModel.ts';
import { checkInputStatistics } from './inputsSchema.ts';
import { readManifest } from './manifestSchema.ts';
import type { ModelManifest } from './ModelManifest.ts';
import { MARKET_FILE, MODEL_FILES, RULES_FILE, type Golden, type ModelFolder, type Refuse } from './modelFiles.ts';
import { readWeights } from './readWeights.ts';
import { SeenTicks } from './SeenTicks.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Topology = { userDefinedMetadata?: { seenTicks?: unknown; memory?: unknown; bars?: unknown } | null };

/** Checks the bytes of `manifest.json` against its schema. */
export function parseManifest(bytes: Bytes, refuse: Refuse): ModelManifest {
  const checked = readManifest(parse(MODEL_FILES.manifest, bytes, refuse));
  return 'fault' in checked ? refuse(checked.fault) : checked;
}

/** Checks the other files of a version, by name, whose hashes are those of the manifest. */
export function parseModelFiles(manifest: ModelManifest, contents: ReadonlyMap<string, Bytes>, refuse: Refuse): ModelFolder {
  if (manifest.files[RULES_FILE] !== undefined)
    refuse(`${RULES_FILE}: a version has no rules of its own any more. Train it again, or serve its rules for all with RULES_FILE.`);
  if (manifest.files[MARKET_FILE] !== undefined)
    refuse(
      `${MARKET_FILE}: a version of tickmark train --market. None is served any more: it would be its base without a memory. Serve a base, and name your series: its memory learns the market (docs/how-to/market.md).`,
    );
  const content = (name: string): Bytes => contents.get(name) ?? refuse(`${name} is missing.`);
  const topology = parse(MODEL_FILES.topology, content(MODEL_FILES.topology), refuse);
  const golden = parse(MODEL_FILES.golden, content(MODEL_FILES.golden), refuse);
  const inputs = contents.get(MODEL_FILES.inputs);
  const { seenTicks: seen, memory, bars } = (topology as Topology | null)?.userDefinedMetadata ?? {};
  return {
    manifest,
    weights: readWeights(manifest, topology, content(MODEL_FILES.weights), refuse),
    golden: golden as Golden,
    card: textOf(content(MODEL_FILES.card)),
    ...(inputs === undefined ? {} : { inputs: checkInputStatistics(parse(MODEL_FILES.inputs, inputs, refuse), refuse) }),
    ...(memory === undefined ? {} : { memory: memoryOf(memory, refuse) }),
    ...(bars === undefined ? {} : { bars: barsOf(bars, refuse) }),
    ...(seen === undefined
      ? {}
      : { seen: SeenTicks.read(seen) ?? refuse(`${MODEL_FILES.topology}/userDefinedMetadata/seenTicks is not a sample of ticks.`) }),
  };
}

function memoryOf(value: unknown, refuse: Refuse): MemoryLine {
  const line = readMemoryLine(value);
  return 'fault' in line ? refuse(`${MODEL_FILES.topology}/userDefinedMetadata/memory${line.fault}.`) : line;
}

function barsOf(value: unknown, refuse: Refuse): BarModel {
  const bars = readBarModel(value);
  return 'fault' in bars ? refuse(`${MODEL_FILES.topology}/userDefinedMetadata/bars${bars.fault}.`) : bars;
}

/** As Node.js decodes a file: a byte order mark stays. */
const textOf = (bytes: Bytes): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

function parse(name: string, bytes: Bytes, refuse: Refuse): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch (error) {
    return refuse(`${name} is not valid JSON.`, error);
  }
}
