import * as path from 'node:path';
import type { ReportTable } from '../../../training/report/ReportData.ts';
import { modelFolders } from '../../app/modelFolders.ts';
import { readSettings, tensorflowEnvironment } from '../../config/settings.ts';
import { systemClock } from '../../core/Clock.ts';
import { plural } from '../../core/plural.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { findVersion, loadCatalog } from '../../model/loadCatalog.ts';
import { loadRuleSet } from '../../rules/loadRuleSet.ts';
import type { Groups } from '../addGroup.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';
import { expandTickFiles } from '../expandTickFiles.ts';
import { fileOptions, type FileFlags } from '../files/importOptions.ts';
import { ProgressLine } from '../ProgressLine.ts';
import { readOutOfFoldFile } from '../readOutOfFoldFile.ts';
import { eventText, isPassing } from '../training/trainText.ts';

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
