import type { ModelManifest } from '../../src/engine/model/ModelManifest.ts';
import { saveModelFolder, type NewVersion } from '../../src/engine/model/saveModelFolder.ts';
import { openRuntime } from '../../src/engine/runtime/openRuntime.ts';
import { goldenOf, randomWeights, SMALL_SPEC, smallManifest } from './smallModel.ts';

/** Writes a small model with random weights and its golden rows into `parent`, as a version that can be served. */
export async function saveSmallModel(
  parent: string,
  id: string,
  over: Partial<ModelManifest> = {},
  seed = 7,
  extra: NonNullable<NewVersion['extra']> = {},
  seen?: NewVersion['seen'],
  memory?: NewVersion['memory'],
  bars?: NewVersion['bars'],
): Promise<void> {
  await openRuntime('wasm');
  const weights = randomWeights(SMALL_SPEC, seed);
  const golden = goldenOf(SMALL_SPEC, weights);
  await saveModelFolder(
    parent,
    {
      manifest: smallManifest(id, over),
      weights,
      golden,
      card: '# Small model\n',
      extra,
      seen,
      memory,
      bars,
    },
    { replace: true },
  );
}
