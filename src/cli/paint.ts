import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

/** `good`: nothing to do. `warn`: check. `bad`: fix. `faint`: less important. */
export type Tone = 'good' | 'warn' | 'bad' | 'faint';
/** The text in the colour of its tone, or as it is. */
export type Paint = (tone: Tone, text: string) => string;

const FORMATS = { good: 'green', warn: 'yellow', bad: 'red', faint: 'dim' } as const;

export const unpainted: Paint = (_tone, text) => text;

/** Colours in a terminal that has them and is not asked to do without (NO_COLOR, TERM=dumb); never into a file or a pipe. */
export function paintOn(stream: Partial<Pick<WriteStream, 'isTTY' | 'hasColors'>>): Paint {
  if (stream.isTTY !== true || stream.hasColors?.() !== true) return unpainted;
  // Asked already: by default it would look at standard output, whatever is written to.
  return (tone, text) => styleText(FORMATS[tone], text, { validateStream: false });
}
