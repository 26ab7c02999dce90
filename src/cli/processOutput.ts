import { standardSink } from '../observability/standardSink.ts';
import type { CliOutput } from './CliContext.ts';
import { EXIT } from './exitCodes.ts';
import { paintOn } from './paint.ts';

/** Time for what is left of standard error when the process ends. */
const FLUSH_MS = 500;

/**
 * Standard output and error of this process. A reader that has gone away (`| head`) is no fault: the rest is dropped. A result that cannot be written
 * ends the process with a message. What goes to standard error never blocks and never ends the process.
 */
export function processOutput(): CliOutput {
  const err = standardSink(2);
  // Node.js and packages write there too (warnings): what cannot be written is left out.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const onWritten = (error?: NodeJS.ErrnoException | null): void => {
    if (!error || error.code === 'EPIPE') return;
    err.write(`tickmark: standard output cannot be written: ${error.message}\n`);
    process.exit(EXIT.failed);
  };
  return {
    out: (text) => void process.stdout.write(text, onWritten),
    err: (text) => err.write(text),
    announce: (text) => standardSink(1).write(text),
    isTerminal: process.stdout.isTTY === true,
    paint: { out: paintOn(process.stdout), err: paintOn(process.stderr) },
  };
}

/** Resolves when standard error is written, or cannot be written in time. */
export const flushErrors = (): Promise<void> => standardSink(2).flush(FLUSH_MS);
