import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const CHECK_MS = 500;

/**
 * Ends this child process `graceMs` after its parent has ended, however that ended. A thread of its own looks, so that it also happens while the main
 * thread hangs in native code or in a loop. Costs some 5 MB of memory. Resolves once that thread runs, which the main thread must not block before.
 */
export async function endWithParent(graceMs = 0): Promise<void> {
  // As text: the same from source and from the bundle.
  const program = `
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${graceMs});
    }, ${CHECK_MS});`;
  const worker = new Worker(program, { eval: true, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 8 } });
  await once(worker, 'online');
  worker.unref();
}
