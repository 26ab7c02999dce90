import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Bench, type BenchRow } from './Bench.ts';

/** Files of this folder that are no bench. */
const HARNESS = ['Bench.ts', 'measure.ts', 'run.ts'];
const USAGE = 'npm run bench -- NAME [--json]';

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

/** Four significant digits, never in exponents. */
function figure(value: number): string {
  return value >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(4)));
}

function table(rows: readonly BenchRow[]): string {
  const head = ['what', 'value', 'peer', 'peer value', 'ratio', 'target'];
  const lines = rows.map(({ what, value, unit, peer, peerValue, ratio, target }) => [
    what,
    `${figure(value)} ${unit}`,
    peer ?? '',
    peerValue === undefined ? '' : `${figure(peerValue)} ${unit}`,
    ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
    target ?? '',
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]!.length)));
  const format = (line: readonly string[]): string =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [head, widths.map((width) => '-'.repeat(width)), ...lines].map(format).join('\n');
}

async function main(args: readonly string[]): Promise<number> {
  const isJson = args.includes('--json');
  const [name, ...more] = args.filter((arg) => arg !== '--json');
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
  const rows = await bench.run();
  if (isJson)
    process.stdout.write(`${JSON.stringify({ name: bench.name, about: bench.about, node: process.version, rows }, undefined, 2)}\n`);
  else process.stdout.write(`${bench.name}: ${bench.about}\n\n${table(rows)}\n`);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
