import type { Readable } from 'node:stream';

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
