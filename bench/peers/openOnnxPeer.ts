import { createRequire } from 'node:module';
import type { LstmPeer, PeerMissing } from './LstmPeer.ts';
import { onnxLstm } from './onnxLstm.ts';

/** The used part of onnxruntime-node. */
type Ort = {
  readonly Tensor: new (type: 'float32', values: Float32Array, dims: readonly number[]) => unknown;
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
  readonly env: { readonly versions: { readonly common: string; readonly node?: string } };
};
type Session = { run(feeds: Record<string, unknown>): Promise<Record<string, { readonly data: Float32Array }>>; release(): Promise<void> };

/** Opens the ONNX Runtime peer, if its package is in node_modules or on NODE_PATH. */
export function openOnnxPeer(): LstmPeer | PeerMissing {
  let ort: Ort;
  try {
    ort = createRequire(import.meta.url)('onnxruntime-node') as Ort;
  } catch {
    return { missing: 'ONNX Runtime is not installed. Run npm i --no-save --ignore-scripts onnxruntime-node' };
  }
  let session: Session | undefined;
  let feeds: Record<string, unknown> = {};
  const run = async (): Promise<Float32Array> => (await session!.run(feeds))['y']!.data;
  return {
    name: `ONNX Runtime ${ort.env.versions.node ?? ort.env.versions.common}`,
    async load(weights, x, shape) {
      await session?.release();
      const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionProviders: ['cpu'], logSeverityLevel: 3 };
      session = await ort.InferenceSession.create(onnxLstm(weights), options);
      feeds = { x: new ort.Tensor('float32', x, shape) };
      return run();
    },
    side: run,
    close: () => void session?.release(),
  };
}
