import type { Command } from 'commander';
import type { CliContext, GlobalOptions } from './CliContext.ts';
import { exampleText } from './exampleText.ts';
import { listModels, showModel } from './models/listModels.ts';
import { promoteModel, rollbackModel } from './models/promoteModel.ts';
import { pruneModels } from './models/pruneModels.ts';
import { verifyModels } from './models/verifyModels.ts';
import { wholeNumber } from './parseNumber.ts';

const HELP = `
Examples:
  $ tickmark models list                 every version with the verdict of its gate; * answers by default
  $ tickmark models show base-2025-01-01 its card: data, split, table against the baseline
  $ tickmark models promote mine-1       mine-1 answers by default; a running service follows within seconds
  $ tickmark models rollback             the version before answers again
  $ tickmark models verify               every file against its hash, every network against its golden answers
  $ tickmark models prune --keep 3       what would be removed; --yes removes it
  $ MODEL=mine-1 tickmark serve          pins a version, whatever is promoted

Versions that ship are in models/, your own in MODELS_DIR (default DATA_DIR/models). docs/models.md says more.`;

const PROMOTE_HELP = `
Examples:
  $ tickmark models promote mine-1
  $ tickmark models promote mine-1 --force       although it did not pass its gate

Refused: a version that is broken or gives other answers than its golden ones, one that did not pass its gate (--force takes it),
and always one that was trained on generated ticks. To try a version without promoting it, ask with ?model=<id>.`;

const ROLLBACK_HELP = `
Examples:
  $ tickmark models rollback

Each promotion can be taken back once; before the first one the default that ships answers. Nothing changes where the version before is gone or broken.`;

const VERIFY_HELP = `
Examples:
  $ tickmark models verify
  $ tickmark models verify --json

Exit code 1 where a version, current.json or the history is not in order.`;

const PRUNE_HELP = `
Examples:
  $ tickmark models prune                what would be removed
  $ tickmark models prune --yes          removes it
  $ tickmark models prune --keep 0 --yes keeps only what answers by default, and what that was tuned from

Versions that ship stay, and so do folders that are no whole version.`;

export function addModels(program: Command, context: CliContext): void {
  const models = program
    .command('models')
    .description('list, show, promote, verify and prune the model versions')
    .addHelpText('after', HELP);
  models
    .command('list', { isDefault: true })
    .description('every version, its files checked against their hashes')
    .addHelpText('after', exampleText('models list', 'models list --json'))
    .action((_options: unknown, command: Command) => listModels(context, command.optsWithGlobals<GlobalOptions>()));
  models
    .command('show')
    .argument('<id>', 'id of a version')
    .description("a version's card and what it was trained for")
    .addHelpText('after', exampleText('models show base-2026-11-22'))
    .action((id: string, _options: unknown, command: Command) => showModel(context, id, command.optsWithGlobals<GlobalOptions>()));
  models
    .command('promote')
    .argument('<id>', 'id of a version')
    .description('make a version the one that answers by default')
    .option('--force', 'although it did not pass its gate')
    .addHelpText('after', PROMOTE_HELP)
    .action((id: string, _options: unknown, command: Command) =>
      promoteModel(context, id, command.optsWithGlobals<GlobalOptions & { force?: boolean }>()),
    );
  models
    .command('rollback')
    .description('take the last promotion back')
    .addHelpText('after', ROLLBACK_HELP)
    .action((_options: unknown, command: Command) => rollbackModel(context, command.optsWithGlobals<GlobalOptions>()));
  models
    .command('verify')
    .description('check every version, current.json and the history')
    .addHelpText('after', VERIFY_HELP)
    .action((_options: unknown, command: Command) => verifyModels(context, command.optsWithGlobals<GlobalOptions>()));
  models
    .command('prune')
    .description('remove versions of yours that are out of use')
    .option('--keep <count>', 'how many earlier defaults stay', wholeNumber(0, 10_000), 3)
    .option('--yes', 'remove them; without it they are only named')
    .addHelpText('after', PRUNE_HELP)
    .action((_options: unknown, command: Command) =>
      pruneModels(context, command.optsWithGlobals<GlobalOptions & { keep: number; yes?: boolean }>()),
    );
}
