import { availableProcessors } from '../../core/availableProcessors.ts';
import type { Command } from 'commander';
import { addGroup, type CliContext, type GlobalOptions } from '../CliContext.ts';
import { addFileOptions } from '../files/importFile.ts';
import { parseHorizons, wholeNumber } from '../parseOptions.ts';
import { checkRules, diffRules, explainRules, testRulesCommand, type TestRulesFlags } from './ruleCommands.ts';

const HELP = `
Examples:
  $ tickmark rules check rules/mine-1.json               whether the service would load it; the first fault and its location
  $ tickmark rules explain                               the rule set in use, rule by rule
  $ tickmark rules explain rules/mine-1.json
  $ tickmark rules diff rules/base-2.json rules/mine-1.json
  $ tickmark rules test rules/mine-1.json --data 'ticks/*.csv.gz'   what it adds to the network, compared with its placebos
  $ RULES_FILE=rules/mine-1.json tickmark serve          serves with it

How to write rules and how they affect the score: docs/reference/rules.md.`;

const CHECK_HELP = `
Examples:
  $ tickmark rules check rules/mine-1.json
  $ tickmark rules check rules/mine-1.json --json

Exit code 1 if the set is refused, for example for a missing or unknown field, an unknown predicate, a weight that contradicts its sign or exceeds
its bound, or a duplicate id.`;

const EXPLAIN_HELP = `
Examples:
  $ tickmark rules explain                     the set of RULES_FILE, or the one that ships
  $ tickmark rules explain rules/mine-1.json`;

const DIFF_HELP = `
Examples:
  $ tickmark rules diff rules/base-2.json rules/mine-1.json

Lists what was added, removed and changed. The order of rules, literals and fields has no meaning and is not compared.`;

const TEST_HELP = `
Examples:
  $ tickmark rules test rules/mine-1.json --data 'ticks/*.csv.gz'
  $ tickmark rules test rules/mine-1.json --data june.csv.gz --model mine-60s --horizons 60s

Cross-validated: weights are learned on all groups of series (or time ranges) but one and tested on that one. The placebos are the same rules on
randomly shifted levels and on time-reversed windows. Windows that the version was trained on do not count.`;

export function addRules(program: Command, context: CliContext): void {
  const rules = program.command('rules').description('check, explain, compare and test rule sets').addHelpText('after', HELP);
  rules
    .command('check')
    .argument('<file>', 'a rule set, JSON')
    .description('check whether the service would load a rule set')
    .addHelpText('after', CHECK_HELP)
    .action((file: string, _options: unknown, command: Command) => checkRules(context, file, command.optsWithGlobals<GlobalOptions>()));
  rules
    .command('explain')
    .argument('[file]', 'a rule set, JSON (default: the one in use)')
    .description('show what each rule says, when it holds and how much it can add')
    .addHelpText('after', EXPLAIN_HELP)
    .action((file: string | undefined, _options: unknown, command: Command) =>
      explainRules(context, file, command.optsWithGlobals<GlobalOptions>()),
    );
  rules
    .command('diff')
    .argument('<a>', 'a rule set, JSON')
    .argument('<b>', 'another one')
    .description('show the differences between two rule sets')
    .addHelpText('after', DIFF_HELP)
    .action((a: string, b: string, _options: unknown, command: Command) =>
      diffRules(context, a, b, command.optsWithGlobals<GlobalOptions>()),
    );
  addFileOptions(rules.command('test').argument('<file>', 'a rule set, JSON'))
    .description('test what a rule set adds to a version on tick files, compared with its placebos')
    .option('--data <files...>', 'tick files, folders or quoted patterns; may be repeated (required)')
    .option('--model <id>', 'id of the version (default: the default version)')
    .option('--horizons <list>', 'horizons to test', parseHorizons, parseHorizons('10s,60s,300s,1800s'))
    .option('--group <name=a,b>', 'correlated series, by file name; may be repeated', addGroup)
    .option('--seed <number>', 'random seed of window lengths, shifts and intervals', wholeNumber(0, 2 ** 31 - 1), 1)
    .option('--workers <count>', 'number of threads', wholeNumber(1, 64), Math.min(4, availableProcessors()))
    .addHelpText('after', TEST_HELP)
    .action((file: string, _options: unknown, command: Command) =>
      testRulesCommand(context, file, command.optsWithGlobals<TestRulesFlags>()),
    );
}
