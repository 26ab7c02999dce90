import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';

const CHECK_MS = 500;

/**
 * Kills this child process `graceMs` after its parent has ended for any reason. A separate thread checks for that, so it also works while
 * the main thread hangs in native code or in a loop. It uses about 5 MB of memory. Resolves when the thread runs; the main thread must not
 * block before that.
 */
export async function endWithParent(graceMs = 0): Promise<void> {
  // A string, so that it is the same from source and from the bundle. The parent is named here: it may have ended before the thread reads anything.
  const program = `
    const timer = setInterval(() => {
      if (process.ppid === ${process.ppid}) return;
      clearInterval(timer);
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${graceMs});
    }, ${CHECK_MS});
    require('node:worker_threads').parentPort.postMessage('runs');`;
  const worker = new Worker(program, { eval: true, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 8 } });
  // `online` comes before the program is read: a main thread that blocks then would stop it for ever.
  await once(worker, 'message');
  worker.unref();
}

/** Longer lines are forwarded in parts. */
const MAX_LINE = 64 * 1024;

/**
 * Forwards the output of a child process: `write` gets whole lines with their line ends. It always reads, so that the child never blocks.
 */
export function forwardLines(stream: Readable, write: (lines: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    rest += text;
    const wholeLines = rest.lastIndexOf('\n') + 1;
    const end = wholeLines === 0 && rest.length > MAX_LINE ? rest.length : wholeLines;
    if (end > 0) write(withEnd(rest.slice(0, end)));
    rest = rest.slice(end);
  });
  stream.on('end', () => {
    if (rest !== '') write(withEnd(rest));
  });
  stream.on('error', () => {});
}

const withEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
