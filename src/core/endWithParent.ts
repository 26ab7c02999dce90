import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const CHECK_MS = 500;

/**
 * Kills this child process `graceMs` after its parent has ended for any reason. A separate thread checks for that, so it also works while
 * the main thread hangs in native code or in a loop. It uses about 5 MB of memory. Resolves when the thread runs; the main thread must not
 * block before that.
 */
export async function endWithParent(graceMs = 0): Promise<void> {
  // A string, so that it is the same from source and from the bundle.
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
