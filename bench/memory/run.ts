import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { markdownTable } from '../../training/metrics/formatComparison.ts';
import { figuresOf, type LogitOf, type MemoryFigures } from './figures.ts';
import { inputRows } from './inputRows.ts';
import { readScoredRows, type ScoredRows } from './ScoredRows.ts';
import { BASE, type Fitted, type MemoryRows, type Trial, TRIALS } from './trials.ts';

const USAGE = `Usage: node --import tsx bench/memory/run.ts LEFT-OUT.bin MONTHS.bin MONTHS-FIXED.bin [--log search.jsonl] [--only ID,ID]
Fits the trials of docs/benchmarks/search.md by left-out group and prints their tables in Markdown. LEFT-OUT.bin comes from
bench/memory/leftOut.ts, the others from bench/memory/months.ts.`;

const signed = (value: number, digits = 4): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;

async function open(file: string): Promise<MemoryRows> {
  const rows = readScoredRows(file);
  return { rows, made: await inputRows(rows) };
}

const membersOf = ({ of }: ScoredRows, use: (row: number) => boolean): Int32Array => Int32Array.from(of.keys()).filter(use);

/** Log-odds of each group by what was learned on the others. */
function leftOutLogit(trial: Trial, groups: MemoryRows): { logit: LogitOf; fits: Map<string, Fitted> } {
  const { rows } = groups;
  const groupOf = (row: number): string => rows.series[rows.of[row]!]!.group;
  const fits = new Map<string, Fitted>();
  const logits = new Map<string, LogitOf>();
  for (const group of new Set(rows.series.map((one) => one.group))) {
    const fitted = trial.fit(
      groups,
      membersOf(rows, (row) => groupOf(row) !== group),
    );
    fits.set(group, fitted);
    logits.set(group, fitted.logit(groups));
  }
  return { logit: (row) => logits.get(groupOf(row))!(row), fits };
}

const short = ({ auc, skill, ece }: MemoryFigures): string => `${signed(auc.estimate)} / ${signed(skill.estimate)} / ${ece.toFixed(3)}`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { log: { type: 'string' }, only: { type: 'string' } }, allowPositionals: true });
  const [groupFile, monthFile, fixedFile] = positionals;
  if (groupFile === undefined || monthFile === undefined || fixedFile === undefined) {
    process.stderr.write(`${USAGE}\n`);
    return 1;
  }
  const [groups, months, fixed] = [await open(groupFile), await open(monthFile), await open(fixedFile)];
  const print = (title: string, lines: readonly (readonly string[])[]): boolean =>
    process.stdout.write(`**${title}**\n\n${markdownTable(lines, true).join('\n')}\n\n`);
  const ewmaOf =
    ({ rows }: MemoryRows): LogitOf =>
    (row) =>
      rows.ewma[row]!;
  const trials = [BASE, ...TRIALS].filter(({ id }) => values.only === undefined || values.only.split(',').includes(id));
  const { rows } = groups;
  const horizons = [...new Set(rows.horizonS)].sort((a, b) => a - b);
  const draws = [...new Set(rows.draw)].sort((a, b) => a - b);
  const cells = months.rows.series.flatMap(({ name }, at) =>
    [60, 300, 1800].map((horizonS) => ({ name: `${name} ${horizonS} s`, at, horizonS })),
  );
  const tables = {
    groups: [] as string[][],
    months: [] as string[][],
    fixed: [] as string[][],
    thresholds: [] as string[][],
    against: [] as string[][],
    lines: [] as string[][],
  };
  for (const trial of trials) {
    const start = process.cpuUsage();
    const { logit, fits } = leftOutLogit(trial, groups);
    const atDefault = membersOf(rows, (row) => rows.draw[row] === 0);
    const all = figuresOf(rows, atDefault, logit, ewmaOf(groups));
    const ofBase = figuresOf(rows, atDefault, logit, (row) => rows.base[row]!);
    const byHorizon = horizons.map((horizonS) =>
      figuresOf(
        rows,
        membersOf(rows, (row) => rows.draw[row] === 0 && rows.horizonS[row] === horizonS),
        logit,
        ewmaOf(groups),
        1,
      ),
    );
    const byDraw = draws.map((draw) =>
      figuresOf(
        rows,
        membersOf(rows, (row) => rows.draw[row] === draw),
        logit,
        (row) => rows.base[row]!,
        1,
      ),
    );
    const fitted = trial.fit(
      groups,
      membersOf(rows, () => true),
    );
    const inMonths = [months, fixed].map((of) => {
      const ofMonths = fitted.logit(of);
      return cells.map(({ at, horizonS }) => {
        const members = membersOf(of.rows, (row) => of.rows.of[row] === at && of.rows.horizonS[row] === horizonS);
        return {
          ewma: figuresOf(of.rows, members, ofMonths, ewmaOf(of)),
          base: figuresOf(of.rows, members, ofMonths, (row) => of.rows.base[row]!),
        };
      });
    }) as [{ ewma: MemoryFigures; base: MemoryFigures }[], { ewma: MemoryFigures; base: MemoryFigures }[]];
    const { id, about } = trial;
    tables.groups.push([
      ...[
        `\`${id}\``,
        about,
        signed(all.auc.estimate),
        signed(all.cells),
        signed(all.skill.estimate),
        all.ece.toFixed(4),
        signed(all.precision, 3),
      ],
      ...byHorizon.map(({ auc, skill }) => `${signed(auc.estimate)} / ${signed(skill.estimate)}`),
    ]);
    tables.months.push([`\`${id}\``, ...inMonths[0].map(({ ewma }) => short(ewma))]);
    tables.fixed.push([`\`${id}\``, ...inMonths[1].map(({ ewma }) => short(ewma))]);
    tables.thresholds.push([`\`${id}\``, ...byDraw.map(({ skill, ece }) => `${signed(skill.estimate)} / ${ece.toFixed(3)}`)]);
    const interval = ({ estimate, lower, upper }: MemoryFigures['skill']): string =>
      `${signed(estimate)} (${signed(lower)} to ${signed(upper)})`;
    tables.against.push([
      ...[`\`${id}\``, interval(all.skill), interval(ofBase.auc), interval(ofBase.skill)],
      ...inMonths.flatMap((of) => of.map(({ base }) => `${interval(base.skill)}`)),
    ]);
    if (fitted.line !== undefined)
      for (const [group, { line }] of [...fits, ['all', fitted] as const])
        if (line !== undefined)
          tables.lines.push([
            `\`${id}\``,
            group === 'all' ? 'all groups' : `without ${group}`,
            String(line.slope),
            String(line.intercept),
            Object.entries(line.weights)
              .map(([name, weight]) => `${name} ${weight}`)
              .join(', '),
          ]);
    const { user, system } = process.cpuUsage(start);
    const cpuS = Math.round((user + system) / 1e6);
    process.stderr.write(`${id}: ${cpuS} s\n`);
    if (values.log === undefined) continue;
    const round = (value: number): number => Number(value.toFixed(5));
    appendFileSync(
      values.log,
      `${JSON.stringify({
        ...{
          id: `memory-${id}`,
          about,
          cpuS,
          auc: round(all.auc.estimate),
          cells: round(all.cells),
          skill: round(all.skill.estimate),
          ece: round(all.ece),
        },
        precision10: round(all.precision),
        ...Object.fromEntries(
          byHorizon.flatMap(({ auc, skill }, at) => [
            [`auc_${horizons[at]}`, round(auc.estimate)],
            [`skill_${horizons[at]}`, round(skill.estimate)],
          ]),
        ),
        ...Object.fromEntries(
          inMonths.flatMap((of, fixedOne) =>
            of.map(({ ewma: { auc, skill, ece } }, at) => [
              `${cells[at]!.name}${fixedOne === 1 ? ' fixed' : ''}`,
              [auc.estimate, skill.estimate, ece].map(round),
            ]),
          ),
        ),
        ...(fitted.line === undefined ? {} : { line: fitted.line }),
      })}\n`,
    );
  }
  print('Left-out groups at θ*, differences from EWMA', [
    ['trial', 'what', 'AUC', 'cells', 'skill', 'ECE', 'precision at 10 %', ...horizons.map((horizonS) => `${horizonS} s: AUC / skill`)],
    ...tables.groups,
  ]);
  print('Months at θ*: AUC and Brier skill against EWMA, ECE', [['trial', ...cells.map(({ name }) => name)], ...tables.months]);
  print('Months at the median θ* as fixed threshold', [['trial', ...cells.map(({ name }) => name)], ...tables.fixed]);
  print('Left-out groups by threshold: Brier skill against the base, ECE', [
    ['trial', ...draws.map((draw) => `draw ${draw}`)],
    ...tables.thresholds,
  ]);
  print('Intervals over days: skill against EWMA; AUC and skill against the base; skill against the base in the months, at θ* and fixed', [
    [
      'trial',
      'skill',
      'AUC against base',
      'skill against base',
      ...[...cells, ...cells].map(({ name }, at) => (at < cells.length ? name : `${name}, fixed`)),
    ],
    ...tables.against,
  ]);
  print('Lines', [['trial', 'fitted on', 'slope', 'intercept', 'weights'], ...tables.lines]);
  return 0;
}

process.exitCode = await main();
