import type { Command } from 'commander';
import type { CliContext, GlobalOptions } from '../CliContext.ts';
import { exampleText, wholeNumber } from '../parseOptions.ts';
import { listModels, showModel, pushModel, promoteModel, rollbackModel, modelHistory, pruneModels, verifyModels } from './modelCommands.ts';

const HELP = `
Examples:
  $ tickmark models list                 every version with its gate result; * marks the default
  $ tickmark models show base-2025-01-01 its card: data, split, comparison with the baseline
  $ tickmark models push /srv/mine-1     checks /srv/mine-1 and copies it to MODELS_DIR
  $ tickmark models promote mine-1       makes mine-1 the default; a running service switches within seconds
  $ tickmark models rollback             makes the previous default the default again
  $ tickmark models history              every change of the default
  $ tickmark models verify               checks every file against its hash, every network against its golden results
  $ tickmark models prune --keep 3       what would be removed; --yes removes it
  $ MODEL=mine-1 tickmark serve          pins a version, regardless of promotions

Shipped versions are in models/, your own in MODELS_DIR (default: DATA_DIR/models), which several machines may share. More: docs/how-to/models.md.`;

const PUSH_HELP = `
Examples:
  $ tickmark models push /srv/trained/mine-1
  $ tickmark models push eurusd-2026-11-27 --keep 2     removes eurusd-2026-11-13 and older ones

Copies a version to MODELS_DIR; every service that reads this folder loads it within seconds. It is checked first, as a service does. The default does
not change. A version that is there is not changed. --keep counts versions whose ids differ
only in the day at their end; the default and the one before it always stay.`;

const HISTORY_HELP = `
Examples:
  $ tickmark models history
  $ tickmark models history --json`;

const PROMOTE_HELP = `
Examples:
  $ tickmark models promote mine-1
  $ tickmark models promote mine-1 --force       although it did not pass its promotion gate

Refuses a version that is broken or does not reproduce its golden results, one that did not pass its promotion gate (--force overrides this), and
always one that was trained on generated ticks. To try a version without promoting it, add ?model=<id> to a request.`;

const ROLLBACK_HELP = `
Examples:
  $ tickmark models rollback

Each promotion can be rolled back once. Before the first promotion, the shipped default is the default. If the previous version is missing or broken,
nothing changes.`;

const VERIFY_HELP = `
Examples:
  $ tickmark models verify
  $ tickmark models verify --json

Exit code 1 if a version, current.json or the history has a fault.`;

const PRUNE_HELP = `
Examples:
  $ tickmark models prune                lists what would be removed
  $ tickmark models prune --yes          removes it
  $ tickmark models prune --keep 0 --yes keeps only the default and the versions that it was tuned from

Shipped versions and folders without a complete version are not removed.`;

export function addModels(program: Command, context: CliContext): void {
  const models = program
    .command('models')
    .description('list, show, promote, verify and prune the model versions')
    .addHelpText('after', HELP);
  models
    .command('list', { isDefault: true })
    .description('list all versions, with their files checked against their hashes')
    .addHelpText('after', exampleText('models list', 'models list --json'))
    .action((_options: unknown, command: Command) => listModels(context, command.optsWithGlobals<GlobalOptions>()));
  models
    .command('show')
    .argument('<id>', 'id of a version')
    .description("show a version's card and what it was trained for")
    .addHelpText('after', exampleText('models show base-2026-11-27'))
    .action((id: string, _options: unknown, command: Command) => showModel(context, id, command.optsWithGlobals<GlobalOptions>()));
  models
    .command('push')
    .argument('<version>', 'id of a version in MODELS_DIR, or its folder')
    .description('add a version to the registry')
    .option('--keep <count>', 'how many versions of the same name stay, newest first (default: all)', wholeNumber(1, 100))
    .addHelpText('after', PUSH_HELP)
    .action((version: string, _options: unknown, command: Command) =>
      pushModel(context, version, command.optsWithGlobals<GlobalOptions & { keep?: number }>()),
    );
  models
    .command('promote')
    .argument('<id>', 'id of a version')
    .description('make a version the default')
    .option('--force', 'promote it although it did not pass its gate')
    .addHelpText('after', PROMOTE_HELP)
    .action((id: string, _options: unknown, command: Command) =>
      promoteModel(context, id, command.optsWithGlobals<GlobalOptions & { force?: boolean }>()),
    );
  models
    .command('rollback')
    .description('roll back the last promotion')
    .addHelpText('after', ROLLBACK_HELP)
    .action((_options: unknown, command: Command) => rollbackModel(context, command.optsWithGlobals<GlobalOptions>()));
  models
    .command('history')
    .description('list every change of the default')
    .addHelpText('after', HISTORY_HELP)
    .action((_options: unknown, command: Command) => modelHistory(context, command.optsWithGlobals<GlobalOptions>()));
  models
    .command('verify')
    .description('check every version, current.json and the history')
    .addHelpText('after', VERIFY_HELP)
    .action((_options: unknown, command: Command) => verifyModels(context, command.optsWithGlobals<GlobalOptions>()));
  models
    .command('prune')
    .description('remove unused versions of your own')
    .option('--keep <count>', 'number of earlier defaults to keep', wholeNumber(0, 10_000), 3)
    .option('--yes', 'remove them; without it they are only listed')
    .addHelpText('after', PRUNE_HELP)
    .action((_options: unknown, command: Command) =>
      pruneModels(context, command.optsWithGlobals<GlobalOptions & { keep: number; yes?: boolean }>()),
    );
}
