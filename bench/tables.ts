import { cpus } from 'node:os';
import type { BenchReport, BenchRow } from './Bench.ts';

const HEAD = ['what', 'value', 'peer', 'peer value', 'ratio', 'target'];

/** Four significant digits, without exponents. */
export function figure(value: number): string {
  return value >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(4)));
}

function cells({ what, value, unit, peer, peerValue, ratio, target }: BenchRow): string[] {
  return [
    what,
    `${figure(value)} ${unit}`,
    peer ?? '',
    peerValue === undefined ? '' : `${figure(peerValue)} ${unit}`,
    ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
    target ?? '',
  ];
}

type Lines = readonly (readonly string[])[];

/** For a terminal. */
export function plainTable(rows: readonly BenchRow[]): string {
  return plainLines(HEAD, rows.map(cells));
}

/** For docs/benchmarks. */
export function markdownTable(rows: readonly BenchRow[]): string {
  return markdownLines(HEAD, rows.map(cells));
}

function plainLines(head: readonly string[], lines: Lines): string {
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column].length)));
  const format = (line: readonly string[]): string =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd();
  return [head, widths.map((width) => '-'.repeat(width)), ...lines].map(format).join('\n');
}

function markdownLines(head: readonly string[], lines: Lines): string {
  return [head, head.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

export function reportText({ about, tables }: BenchReport, isMarkdown: boolean): string {
  const tableText = isMarkdown ? markdownLines : plainLines;
  const texts = tables.map(({ title, head, lines }) => `${isMarkdown ? '### ' : ''}${title}\n\n${tableText(head, lines)}`);
  return [about.join('\n'), ...texts].join('\n\n');
}

/** Processor and Node.js version, for tables in the docs. */
export function machineLine(): string {
  const [first, ...others] = cpus();
  return `${first?.model.trim() ?? 'unknown processor'}, ${others.length + 1} logical cores, ${process.platform} ${process.arch}, Node.js ${process.versions.node}`;
}
