import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Bench } from './Bench.ts';
import { machineLine, markdownTable, plainTable, reportText } from './tables.ts';

/** Files of this folder that are not benches. */
const HARNESS = ['Bench.ts', 'cudaOnce.ts', 'cudaRows.ts', 'cudaTraining.ts', 'marketsExchange.ts', 'measure.ts', 'run.ts', 'tables.ts'];
const OPTIONS = {
  json: { type: 'boolean' },
  markdown: { type: 'boolean' },
  only: { type: 'string' },
  quick: { type: 'boolean' },
  short: { type: 'boolean' },
} as const;
const USAGE = 'npm run bench -- NAME [--json | --markdown] [--only=TEXT]; replicas also accepts [--quick | --short], models FILE...';

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

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const { only, json, markdown, ...options } = values;
  const [name, ...files] = positionals;
  const names = benchNames();
  if (name === undefined) {
    process.stdout.write(`${USAGE}\n`);
    for (const known of names) process.stdout.write(`  ${known.padEnd(12)}${(await loadBench(known)).about}\n`);
    return 0;
  }
  const bench = names.includes(name) ? await loadBench(name) : undefined;
  if (bench === undefined || (files.length > 0 && bench.takesFiles !== true)) {
    process.stderr.write(`There is no bench "${positionals.join(' ')}". Usage: ${USAGE}. Benches: ${names.join(', ')}.\n`);
    return 1;
  }
  const result = await bench.run(only, { ...options, files });
  const { about } = bench;
  const command = `\`npm run bench -- ${name}${only === undefined ? '' : ` --only='${only}'`}\``;
  if (json === true) {
    const measured = Array.isArray(result) ? { rows: result } : result;
    process.stdout.write(`${JSON.stringify({ name, about, machine: machineLine(), ...measured }, undefined, 2)}\n`);
  } else if (!Array.isArray(result)) process.stdout.write(`${reportText(result, markdown === true)}\n`);
  else if (markdown === true) process.stdout.write(`${command} on ${machineLine()}. ${about}\n\n${markdownTable(result)}\n`);
  else process.stdout.write(`${name}: ${about}\n\n${plainTable(result)}\n`);
  return !Array.isArray(result) && result.isFailed === true ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
