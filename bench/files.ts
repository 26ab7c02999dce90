import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { run } from '../src/cli/run.ts';
import { formatTimestamp, parseTimestampUs } from '../src/ticks/timestamps.ts';
import { GIVEN_FILES } from '../test/support/givenFiles.ts';
import { GIVEN_FILES_DIR, GIVEN_FILES_SKIPPED, hasGivenFiles } from '../test/support/realTicks.ts';
import type { Bench, BenchReport } from './Bench.ts';

const FIX = 'doctor FILE --fix';
const FLAG = /(--(?:columns|symbol|event|date-order|zone)) (?:'([^']*)'|(\S+?))(?=[.,;:]?(?:\s|$))/g;

type Ended = { readonly code: number; readonly out: string; readonly err: string };
type Imported = {
  readonly ticks: number;
  readonly first: string;
  readonly last: string;
  readonly firstPrice: number;
  readonly lastPrice: number;
};
type Outcome = 'read right' | 'refused, read right by a command of the message' | 'refused, and no option reads it' | 'WRONG';

async function tickmark(...args: readonly string[]): Promise<Ended> {
  let [out, err] = ['', ''];
  const code = await run(args, { out: (text) => void (out += text), err: (text) => void (err += text) });
  return { code, out, err };
}

/** As the table of right readings writes it; undefined where the file was refused. */
function readingOf({ code, out }: Ended): string | undefined {
  if (code !== 0) return undefined;
  const [{ ticks, first, last, firstPrice, lastPrice }] = (JSON.parse(out) as { files: [Imported] }).files;
  const tick = (stamp: string, price: number): string => `${formatTimestamp(parseTimestampUs(stamp))} ${price}`;
  return `${ticks} ${tick(first, firstPrice)} .. ${tick(last, lastPrice)}`;
}

/** The options of each command line in a message: behind ` or ` and in the next sentence stands another one. */
function commandsIn(message: string): string[][] {
  return message
    .split(/ or (?=--)|\. (?=[A-Z])/)
    .map((command) => [...command.matchAll(FLAG)].flatMap(([, flag, quoted, plain]) => [flag!, quoted ?? plain!]))
    .filter(({ length }) => length > 0);
}

/** One file through `import`, `doctor` and `predict`; `how`: what was seen, in a line. */
async function outcomeOf(name: string, row: string, folder: string): Promise<{ readonly outcome: Outcome; readonly how: string }> {
  const [expected] = row.split(/ with (?=--|doctor)/);
  const file = path.join(GIVEN_FILES_DIR, name);
  const imported = await tickmark('import', file, '--json');
  const reading = readingOf(imported);
  const doctor = await tickmark('doctor', file);
  const predict = await tickmark('predict', file, '--horizon', '60s', '--json');
  const wrong = (how: string): { outcome: Outcome; how: string } => ({ outcome: 'WRONG', how });
  if (reading !== undefined) return reading === row ? { outcome: 'read right', how: '' } : wrong(`read ${reading}`);
  if (predict.code === 0) return wrong('import refuses it, and predict prints a forecast');
  if (doctor.code === 0) return wrong('import refuses it, and doctor calls it usable');
  const message = (await tickmark('import', file)).err.trim().replace(/\s+/g, ' ');
  if (row.startsWith('refused: '))
    return message.includes(row.slice('refused: '.length))
      ? { outcome: 'refused, and no option reads it', how: message.slice(0, 200) }
      : wrong(message);
  for (const options of commandsIn(message))
    if (readingOf(await tickmark('import', file, '--json', ...options)) === expected)
      return { outcome: 'refused, read right by a command of the message', how: options.join(' ') };
  if (message.includes(FIX)) {
    const copy = path.join(folder, `${name}.clean.csv`);
    await tickmark('doctor', file, '--fix', copy);
    if (readingOf(await tickmark('import', copy, '--json')) === expected)
      return { outcome: 'refused, read right by a command of the message', how: FIX };
  }
  return wrong(`no command of the message reads it: ${message}`);
}

export const bench: Bench = {
  name: 'files',
  about:
    'The small files of vendors and bug reports through import, doctor and predict: read right, refused with a command that reads them, or wrong.',
  async run(only = ''): Promise<BenchReport> {
    if (!hasGivenFiles) return { about: [`Skipped: ${GIVEN_FILES_SKIPPED}.`], tables: [] };
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-files-'));
    const counts = new Map<Outcome, number>();
    const lines: string[][] = [];
    try {
      const names = readdirSync(GIVEN_FILES_DIR).filter((name) => name !== 'README.md' && name.includes(only));
      for (const name of names) {
        const row = GIVEN_FILES[name];
        const { outcome, how } =
          row === undefined ? { outcome: 'WRONG' as const, how: 'it is not in the table' } : await outcomeOf(name, row, folder);
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        if (outcome !== 'read right') lines.push([name, outcome, how]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return {
      isFailed: counts.has('WRONG'),
      about: [`${total} files, each through \`import\`, \`doctor\` and \`predict --horizon 60s\`.`],
      tables: [
        { title: 'Outcomes', head: ['outcome', 'files'], lines: [...counts].map(([outcome, count]) => [outcome, String(count)]) },
        { title: 'Files that are not read as they are', head: ['file', 'outcome', 'command or message'], lines },
      ],
    };
  },
};
