import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { addGroup } from './addGroup.ts';
import type { CliContext, GlobalOptions } from './CliContext.ts';
import { addFileOptions } from './files/importOptions.ts';
import { parseHorizons } from './parseHorizons.ts';
import { wholeNumber } from './parseNumber.ts';
import { checkRules } from './rules/checkRules.ts';
import { diffRules } from './rules/diffRules.ts';
import { explainRules } from './rules/explainRules.ts';
import { testRulesCommand, type TestRulesFlags } from './rules/testRulesCommand.ts';

const HELP = `
Examples:
  $ tickmark rules check rules/mine-1.json               whether the service would take it; the first fault with its place
  $ tickmark rules explain                               the set that answers now, rule by rule
  $ tickmark rules explain rules/mine-1.json
  $ tickmark rules diff rules/base-2.json rules/mine-1.json
  $ tickmark rules test rules/mine-1.json --data 'ticks/*.csv.gz'   what it adds to the network, beside its placebos
  $ RULES_FILE=rules/mine-1.json tickmark serve          answers with it

docs/rules.md tells how rules are written and what they add up to.`;

const CHECK_HELP = `
Examples:
  $ tickmark rules check rules/mine-1.json
  $ tickmark rules check rules/mine-1.json --json

Exit code 1 where the set is refused: a field missing or unknown, a predicate misspelt, a weight against its sign or above its bound, an id twice.`;

const EXPLAIN_HELP = `
Examples:
  $ tickmark rules explain                     the set of RULES_FILE, or the one that ships
  $ tickmark rules explain rules/mine-1.json`;

const DIFF_HELP = `
Examples:
  $ tickmark rules diff rules/base-2.json rules/mine-1.json

Says what was added, removed and changed. The order of rules, literals and fields means nothing, and is no difference.`;

const TEST_HELP = `
Examples:
  $ tickmark rules test rules/mine-1.json --data 'ticks/*.csv.gz'
  $ tickmark rules test rules/mine-1.json --data june.csv.gz --model mine-60s --horizons 60s

Weights are learned on the other groups of series (or stretches of time) and judged on each; beside them stand the same rules on levels moved at
random and on windows backwards in time. Only windows count that the version did not learn from.`;

export function addRules(program: Command, context: CliContext): void {
  const rules = program.command('rules').description('check, explain and compare rule sets').addHelpText('after', HELP);
  rules
    .command('check')
    .argument('<file>', 'a rule set, JSON')
    .description('whether the service would take a rule set')
    .addHelpText('after', CHECK_HELP)
    .action((file: string, _options: unknown, command: Command) => checkRules(context, file, command.optsWithGlobals<GlobalOptions>()));
  rules
    .command('explain')
    .argument('[file]', 'a rule set, JSON (default: the one that answers)')
    .description('what each rule says, when it holds and what it may add')
    .addHelpText('after', EXPLAIN_HELP)
    .action((file: string | undefined, _options: unknown, command: Command) =>
      explainRules(context, file, command.optsWithGlobals<GlobalOptions>()),
    );
  rules
    .command('diff')
    .argument('<a>', 'a rule set, JSON')
    .argument('<b>', 'another one')
    .description('what is different between two rule sets')
    .addHelpText('after', DIFF_HELP)
    .action((a: string, b: string, _options: unknown, command: Command) =>
      diffRules(context, a, b, command.optsWithGlobals<GlobalOptions>()),
    );
  addFileOptions(rules.command('test').argument('<file>', 'a rule set, JSON'))
    .description('what a rule set adds to a version on tick files, beside its placebos')
    .option('--data <files...>', 'tick files, folders or quoted patterns; may be repeated (required)')
    .option('--model <id>', 'the version (default: the one that answers)')
    .option('--horizons <list>', 'where to judge it', parseHorizons, parseHorizons('10s,60s,300s,1800s'))
    .option('--group <name=a,b>', 'series that move together, by file name; may be repeated', addGroup)
    .option('--seed <number>', 'of window lengths, shifts and intervals', wholeNumber(0, 2 ** 31 - 1), 1)
    .option('--workers <count>', 'threads', wholeNumber(1, 64), Math.min(4, availableParallelism()))
    .addHelpText('after', TEST_HELP)
    .action((file: string, _options: unknown, command: Command) =>
      testRulesCommand(context, file, command.optsWithGlobals<TestRulesFlags>()),
    );
}
