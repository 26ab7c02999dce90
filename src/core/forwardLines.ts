import type { Readable } from 'node:stream';

/** A line that is longer is passed on in parts. */
const MAX_LINE = 64 * 1024;

/** Forwards what a child process writes: `write` gets one or more whole lines, each with its end. Always reads, so that the child never waits. */
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
