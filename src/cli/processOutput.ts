import type { CliOutput } from './CliContext.ts';
import { paintOn } from './paint.ts';

/** Standard output and error of this process. A reader that has gone away (`| head`) is no fault: the rest is dropped. */
export function processOutput(): CliOutput {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    paint: { out: paintOn(process.stdout), err: paintOn(process.stderr) },
  };
}
