import { openKernelHost } from '../../../src/engine/inference/openKernelHost.ts';
import type { ModelFolder } from '../../../src/engine/model/modelFiles.ts';
import { parseManifest, parseModelFiles } from '../../../src/engine/model/parseModelFiles.ts';

/** The logits that the kernel returns for the golden rows of a version, and the golden ones. Bundled for a page. */
export async function goldenRows(files: Readonly<Record<string, string>>): Promise<(readonly [got: number, wanted: number])[]> {
  const refuse = (why: string): never => {
    throw new Error(why);
  };
  const contents = new Map(Object.entries(files).map(([name, base64]) => [name, Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
  const manifest = parseManifest(contents.get('manifest.json')!, refuse);
  const version: ModelFolder = parseModelFiles(manifest, contents, refuse);
  const host = await openKernelHost();
  await host.open('golden', version);
  const pairs: (readonly [number, number])[] = [];
  for (const { sequence, context, baseline, head, ...golden } of version.golden.rows) {
    const inputs = { sequence: Float32Array.from(sequence), context: Float32Array.from(context) };
    const output = await host.infer('golden', { ...inputs, baseline, head });
    for (const name of ['baselineLogit', 'residualLogit', 'directionLogit'] as const) pairs.push([output[name], golden[name]]);
  }
  return pairs;
}
