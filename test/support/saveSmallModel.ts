import { saveModelFolder } from '../../src/model/saveModelFolder.ts';
import { openRuntime } from '../../src/runtime/openRuntime.ts';
import { goldenOf, randomWeights, SMALL_SPEC, smallManifest } from './smallModel.ts';

/** Writes a small model with random weights and its golden answers into `parent`, as a version that can be served. */
export async function saveSmallModel(parent: string, id: string): Promise<void> {
  await openRuntime('cpu');
  const weights = randomWeights(SMALL_SPEC, 7);
  await saveModelFolder(parent, { manifest: smallManifest(id), weights, golden: goldenOf(SMALL_SPEC, weights), card: '# Small model\n' });
}
