import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../core/Clock.ts';
import { standardSink } from '../core/observability/logDestination.ts';

/** `notBetter`: a training ended and its version did not pass the gate. */
export const EXIT = { ok: 0, failed: 1, wrongUsage: 2, notBetter: 3 } as const;

/** `good`: nothing to do. `warn`: check. `bad`: fix. `faint`: less important. */
type Tone = 'good' | 'warn' | 'bad' | 'faint';
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

/** Without a terminal, a passing event is printed at most this often, so that logs show progress and stay short. */
const QUIET_MS = 30_000;

/** Progress on standard error. On a terminal, passing events share one line; otherwise lasting events and occasional passing ones are printed. */
export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #isLive: boolean;
  readonly #nowMs: () => number;
  readonly #quietMs: number;
  #open = false;
  #printedMs: number;

  constructor(write: (text: string) => void, isLive: boolean, nowMs: () => number, quietMs = QUIET_MS) {
    this.#write = write;
    this.#isLive = isLive;
    this.#nowMs = nowMs;
    this.#quietMs = quietMs;
    this.#printedMs = nowMs();
  }

  show(text: string, isPassing: boolean): void {
    if (this.#isLive) this.#write(`\r\x1b[2K${text}${isPassing ? '' : '\n'}`);
    else if (!isPassing || this.#nowMs() - this.#printedMs >= this.#quietMs) {
      this.#write(`${text}\n`);
      this.#printedMs = this.#nowMs();
    }
    this.#open = this.#isLive && isPassing;
  }

  end(): void {
    if (this.#open) this.#write('\n');
    this.#open = false;
  }
}

/** The progress of a command on standard error, on one line where it is a terminal and no JSON is asked for. */
export const progressOf = (err: (text: string) => void, json?: boolean, quietMs?: number): ProgressLine =>
  new ProgressLine(err, process.stderr.isTTY && json !== true, () => systemClock.monotonicMs(), quietMs);

/** Output of a command. Tests pass their own. */
export type CliOutput = {
  /** The result: text, or one JSON value with --json. */
  out(text: string): void;
  /** Progress and errors. */
  err(text: string): void;
  /** As `out`, for a service: it continues if the text cannot be written. */
  announce?(text: string): void;
  /** Colours what goes to `out` and to `err`; absent: nothing is coloured. */
  readonly paint?: { readonly out: Paint; readonly err: Paint };
  /** Whether `out` and `announce` go to a terminal; absent: they do not. */
  readonly isTerminal?: boolean;
};

export type CliContext = Required<CliOutput> & {
  /** Sets the exit code, 1 by default, without an error: the result itself is negative. */
  fail(code?: number): void;
};

/** Options of the program, known to every command. */
export type GlobalOptions = { readonly json?: boolean; readonly debug?: boolean };

/**
 * The action of a command: `run` gets the context, the arguments, and the options, those of the program too. `required`: an option that has to be
 * given; Commander looks for its own required options before misspelt ones, and would hide the suggestion.
 */
export const act =
  <Args extends readonly unknown[]>(
    context: CliContext,
    run: (context: CliContext, ...args: Args) => Promise<void> | void,
    required?: string,
  ) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const options = command.optsWithGlobals();
    const missing = command.options.find((option) => option.attributeName() === required && options[required] === undefined);
    if (missing !== undefined) command.error(`error: required option '${missing.flags}' not specified`);
    await run(context, ...([...given.slice(0, -2), options] as unknown as Args));
  };

/** One JSON value, one line. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

const codeOf = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
/** The colours of `paintOn` and their ends, and what a terminal or a reader could be deceived with. */
const CONTROLS = /(\x1b\[(?:2|22|3[1-3]|39)m)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
/** How ProgressLine begins. */
const PROGRESS = /^\r\x1b\[2K/;

/**
 * Text in which everything that could move the cursor, set a title or reorder letters is shown as its code, which JSON reads as the same
 * character: model cards, rules, files and answers of services come from others. Line ends and tabs stay.
 */
const visible = (text: string): string => text.replace(CONTROLS, (c, colour: string | undefined) => colour ?? codeOf(c));

/** What others typed, on one line and without any colour of theirs. */
export const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, codeOf);

/** An output that writes only visible text. */
export function visibleOutput({ out, err, announce = out, ...rest }: CliOutput): CliOutput & Pick<CliContext, 'announce'> {
  return {
    ...rest,
    out: (text) => out(visible(text)),
    err: (text) => {
      const start = PROGRESS.exec(text)?.[0] ?? '';
      err(start + visible(text.slice(start.length)));
    },
    announce: (text) => announce(visible(text)),
  };
}

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

export type Groups = Record<string, string[]>;

/** Adds `name=a,b` to the groups named so far. Throws commander's InvalidArgumentError. */
export function addGroup(text: string, before: Groups = {}): Groups {
  const [name, members] = text.split('=').map((part) => part.trim());
  const names = (members ?? '').split(',').map((member) => member.trim());
  if (name === undefined || name === '' || names.includes('') || text.split('=').length !== 2)
    throw new InvalidArgumentError('Write a name and its series: eurusd=eurusd-a,eurusd-b.');
  return { ...before, [name]: names };
}
