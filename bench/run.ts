import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Bench } from './Bench.ts';
import { machineLine, markdownTable, plainTable } from './tables.ts';

/** Files of this folder that are no bench. */
const HARNESS = ['Bench.ts', 'backends.ts', 'floodClient.ts', 'lstmSides.ts', 'measure.ts', 'run.ts', 'stockTraining.ts', 'tables.ts'];
const FLAGS = ['--json', '--markdown'] as const;
const USAGE = 'npm run bench -- NAME [--json | --markdown] [--only=TEXT]';

function benchNames(): string[] {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && !HARNESS.includes(file));
  return files.map((file) => path.basename(file, '.ts')).sort();
}

async function loadBench(name: string): Promise<Bench> {
  const file = path.join(import.meta.dirname, `${name}.ts`);
  const loaded = (await import(pathToFileURL(file).href)) as { bench?: Bench };
  if (loaded.bench === undefined) throw new Error(`bench/${name}.ts exports no bench`);
  return loaded.bench;
}

async function main(args: readonly string[]): Promise<number> {
  const only = args.find((arg) => arg.startsWith('--only='))?.slice('--only='.length);
  const [name, ...more] = args.filter((arg) => !(FLAGS as readonly string[]).includes(arg) && !arg.startsWith('--only='));
  const names = benchNames();
  if (name === undefined) {
    process.stdout.write(`${USAGE}\n`);
    for (const known of names) process.stdout.write(`  ${known.padEnd(12)}${(await loadBench(known)).about}\n`);
    return 0;
  }
  if (more.length > 0 || !names.includes(name)) {
    process.stderr.write(`There is no bench "${[name, ...more].join(' ')}". ${USAGE}, with one of: ${names.join(', ')}.\n`);
    return 1;
  }
  const bench = await loadBench(name);
  const rows = await bench.run(only);
  const { about } = bench;
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ name, about, machine: machineLine(), rows }, undefined, 2)}\n`);
  else if (args.includes('--markdown'))
    process.stdout.write(
      `\`npm run bench -- ${name}${only === undefined ? '' : ` --only='${only}'`}\` on ${machineLine()}. ${about}\n\n${markdownTable(rows)}\n`,
    );
  else process.stdout.write(`${name}: ${about}\n\n${plainTable(rows)}\n`);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
