import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import type { LstmPeer, PeerMissing } from './LstmPeer.ts';

const base64 = (values: Float32Array): string => Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');

/** Opens the Keras peer, if `python3` or the program in PYTHON has Keras. It measures itself, so the pipe does not count. */
export async function openKerasPeer(python = process.env['PYTHON'] ?? 'python3'): Promise<LstmPeer | PeerMissing> {
  const child = spawn(python, [path.join(import.meta.dirname, 'keras_lstm.py')], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextAnswer = async (): Promise<Record<string, unknown> | undefined> => {
    const { value, done } = await lines.next();
    return done === true ? undefined : (JSON.parse(value) as Record<string, unknown>);
  };
  const ask = async (question: object): Promise<Record<string, unknown>> => {
    if (!child.stdin.write(`${JSON.stringify(question)}\n`)) await once(child.stdin, 'drain');
    const answer = await nextAnswer();
    if (answer === undefined) throw new Error('the Keras process has exited');
    return answer;
  };
  const hello = await Promise.race([nextAnswer(), once(child, 'error').then(() => undefined)]);
  if (hello === undefined)
    return { missing: `Keras is not installed. Run ${python} -m pip install keras tensorflow-cpu, or set PYTHON to a Python that has it` };
  return {
    name: String(hello['versions']),
    async load({ units, kernel, recurrentKernel, bias }, x, shape) {
      const { y } = await ask({
        ...{ shape, units, x: base64(x) },
        ...{ kernel: base64(kernel), recurrent_kernel: base64(recurrentKernel), bias: base64(bias) },
      });
      const bytes = Uint8Array.from(Buffer.from(y as string, 'base64'));
      return new Float32Array(bytes.buffer);
    },
    side: { timeUs: async (calls) => (await ask({ calls }))['us'] as number },
    close: () => child.kill(),
  };
}
