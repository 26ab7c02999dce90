import * as path from 'node:path';
import type { ReportTable } from '../../../training/report/ReportData.ts';
import { modelFolders } from '../../service/app/openRegistry.ts';
import { describeRuleSet } from '../../service/app/rulesDirectory.ts';
import { readSettings, tensorflowEnvironment } from '../../core/config/settings.ts';
import type { RuleSetAnswer } from '../../contract/catalog.ts';
import { systemClock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { plural } from '../../core/plural.ts';
import { findVersion, loadCatalog } from '../../engine/model/loadCatalog.ts';
import { loadRuleSet, defaultRuleSetPath } from '../../engine/rules/loadRuleSet.ts';
import { jsonLine, type CliContext, type GlobalOptions, type Groups, ProgressLine } from '../CliContext.ts';
import { expandTickFiles } from '../files/expandTickFiles.ts';
import { fileOptions, type FileFlags } from '../files/importFile.ts';
import { readOutOfFoldFile } from '../files/readOutOfFoldFile.ts';
import { eventText, isPassing } from '../training/trainText.ts';

/** Throws `rules.refused` with the place of the first fault, `file.unreadable`. */
export async function checkRules({ out }: CliContext, file: string, { json }: GlobalOptions): Promise<void> {
  const { id, version, hash, rules } = await loadRuleSet(file);
  const count = (kind: string): number => rules.filter((rule) => rule.kind === kind).length;
  const [evidence, vetoes, abstentions] = [count('evidence'), count('veto'), count('abstain')];
  if (json) return out(jsonLine({ id, version, hash, rules: rules.length, evidence, vetoes, abstentions }));
  out(
    `${file} is in order: ${id}, version ${version}, ${plural(rules.length, 'rule')} (${evidence} evidence, ${plural(vetoes, 'veto', 'vetoes')}, ${plural(abstentions, 'abstention')}), hash ${hash.slice(0, 12)}.\n` +
      `Use it: RULES_FILE=${file} tickmark serve\n`,
  );
}

type RuleAnswer = RuleSetAnswer['rules'][number];
type Change = { readonly rule: string; readonly field: string; readonly from: unknown; readonly to: unknown };

/** Throws what `loadRuleSet` throws. */
export async function diffRules({ out }: CliContext, a: string, b: string, { json }: GlobalOptions): Promise<void> {
  const [from, to] = [describeRuleSet(await loadRuleSet(a)), describeRuleSet(await loadRuleSet(b))];
  const [before, after] = [byId(from), byId(to)];
  const added = [...after.keys()].filter((id) => !before.has(id));
  const removed = [...before.keys()].filter((id) => !after.has(id));
  const changed = [...before.values()].flatMap((rule) => {
    const other = after.get(rule.id);
    return other === undefined ? [] : changesOf(rule, other);
  });
  const same = from.hash === to.hash;
  if (json) return out(jsonLine({ same, from: nameOf(from), to: nameOf(to), added, removed, changed }));
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const lines = [
    ...removed.map((id) => `- ${id}: ${before.get(id)?.text}`),
    ...added.map((id) => `+ ${id}: ${after.get(id)?.text}`),
    ...changed.map(({ rule, field, from: old, to: now }) => `~ ${rule}, ${field}: ${text(old)} → ${text(now)}`),
  ];
  const summary = same ? 'They mean the same.' : lines.length === 0 ? 'The rules are the same; id, version or description differ.' : '';
  out(`${nameOf(from)} → ${nameOf(to)}\n${[...lines, summary].filter((line) => line !== '').join('\n')}\n`);
}

function byId({ rules }: RuleSetAnswer): Map<string, RuleAnswer> {
  return new Map(rules.map((rule) => [rule.id, rule]));
}

function nameOf({ id, version }: RuleSetAnswer): string {
  return `${id} version ${version}`;
}

function changesOf(before: RuleAnswer, after: RuleAnswer): Change[] {
  return (Object.keys(before) as (keyof RuleAnswer)[])
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => ({ rule: before.id, field, from: before[field], to: after[field] }));
}

/** Throws what `loadRuleSet` throws. */
export async function explainRules({ out }: CliContext, given: string | undefined, { json }: GlobalOptions): Promise<void> {
  const { rulesFile } = readSettings();
  const file = given ?? (rulesFile === '' ? defaultRuleSetPath() : rulesFile);
  const set = describeRuleSet(await loadRuleSet(file));
  out(json ? jsonLine(set) : explanation(set));
}

function explanation({ id, version, about, hash, rules, predicates }: RuleSetAnswer): string {
  const named = new Map(predicates.map((predicate) => [predicate.name, predicate]));
  return [
    `${id}, version ${version}, hash ${hash.slice(0, 12)}`,
    about,
    ...rules.flatMap((rule) => ['', `${rule.id}: ${effect(rule)}`, `  says: ${rule.text}`, `  when: ${rule.when}`]),
    '',
    'Predicates',
    ...[...named.values()].map(({ name, about: says, unit }) => `  ${name} (${unit}): ${says}`),
    '',
  ].join('\n');
}

function effect({ kind, horizons, weights, sign, bound, neutral, threshold }: RuleSetAnswer['rules'][number]): string {
  const where = horizons.length === 4 ? '' : ` at ${horizons.join(', ')}`;
  if (kind === 'veto') return `veto${where}: no mark where it is certainly at least ${threshold} true`;
  if (kind === 'abstain') return `abstention${where}: no mark where it may be ${threshold} true`;
  const values = Object.values(weights ?? {});
  const same = values.every((value) => value === values[0]);
  const size = same
    ? String(values[0])
    : Object.entries(weights ?? {})
        .map(([name, value]) => `${value} at ${name}`)
        .join(', ');
  return `evidence${where}: a true rule ${sign === '+' ? 'raises' : 'lowers'} the odds; weight ${size}, at most ${bound}, nothing at truth ${neutral}`;
}

export type TestRulesFlags = GlobalOptions &
  FileFlags & {
    readonly data?: readonly string[];
    readonly horizons: readonly number[];
    readonly group?: Groups;
    readonly model?: string;
    readonly seed: number;
    readonly workers: number;
  };

/** What a rule set adds to a version on tick files. Throws what `loadRuleSet`, `loadCatalog` and `testRules` throw. */
export async function testRulesCommand({ out, err }: CliContext, file: string, flags: TestRulesFlags): Promise<void> {
  const settings = readSettings();
  const data = expandTickFiles(flags.data ?? [], (line) => err(`${line}\n`));
  if (data.length === 0) throw new ServiceError('command.invalid', 'Name tick files with --data.');
  const ruleSet = await loadRuleSet(file);
  const catalog = loadCatalog(modelFolders(settings), settings.model);
  const model = findVersion(catalog, flags.model ?? catalog.defaultId);
  // Imported late, so that --help does not load the network.
  const [{ testRules }, { tableText }] = await Promise.all([
    import('../../../training/rules/testRules.ts'),
    import('../../../training/evaluation/scoreTables.ts'),
  ]);
  const progress = new ProgressLine(err, process.stderr.isTTY && flags.json !== true, () => systemClock.monotonicMs());
  try {
    const { tables, worth, origins } = await testRules(
      {
        ruleSet,
        model,
        outOfFold: readOutOfFoldFile(settings, model.manifest.id),
        data,
        reading: fileOptions(flags),
        groups: flags.group ?? {},
        horizonsS: flags.horizons,
        workDir: path.resolve(settings.dataDir, 'training'),
        seed: flags.seed,
        workers: flags.workers,
        backend: settings.runtimeBackend,
        environment: tensorflowEnvironment(),
      },
      (event) => progress.show(eventText(event), isPassing(event)),
    );
    progress.end();
    const better = worth.filter((head) => head.better).length;
    if (flags.json) return out(jsonLine({ ruleset: ruleSet.id, hash: ruleSet.hash, model: model.manifest.id, origins, better, tables }));
    const text = tables.map((table: ReportTable) => tableText(table)).join('\n\n');
    const verdict =
      better === 0 ? 'The rules better no head: their weights stay 0.' : `The rules better ${better} of ${worth.length} heads.`;
    out(
      `${ruleSet.id} (${ruleSet.hash.slice(0, 12)}) on ${model.manifest.id}, ${plural(origins, 'window')} that it did not learn from\n\n${text}\n\n${verdict}\n`,
    );
  } finally {
    progress.end();
  }
}
