import { fork } from 'node:child_process';
import { once } from 'node:events';
import { nativeBackend } from '../../src/engine/runtime/nativeBackend.ts';
import type { LstmPeer, PeerMissing } from './LstmPeer.ts';
import type { NativeQuestion } from './nativePeerMain.ts';

/** The kernel of tickmark on native TensorFlow, on the processor: the peer of a GPU and of WebAssembly. */
export async function openNativePeer(): Promise<LstmPeer | PeerMissing> {
  const missing = nativeBackend.missing();
  if (missing !== undefined) return { missing: `native TensorFlow is not set up: ${missing.remedy}` };
  const child = fork(new URL('./nativePeerMain.ts', import.meta.url), { serialization: 'advanced' });
  const ended = once(child, 'exit').then((): never => {
    throw new Error('the native process has exited');
  });
  ended.catch(() => {});
  const answer = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), ended]))[0];
  const ask = (question: NativeQuestion): Promise<unknown> => {
    child.send(question);
    return answer();
  };
  await answer();
  return {
    name: 'tickmark on native CPU',
    load: async (weights, x, shape) => (await ask({ weights, x, shape })) as Float32Array,
    side: { timeUs: async (calls) => (await ask({ pass: 'forward', calls })) as number },
    stepSide: { timeUs: async (calls) => (await ask({ pass: 'step', calls })) as number },
    close: () => child.kill(),
  };
}
