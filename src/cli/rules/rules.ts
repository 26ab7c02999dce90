import type { Command } from 'commander';
import type { CliContext, GlobalOptions } from '../CliContext.ts';
import { checkRules, diffRules, explainRules } from './ruleCommands.ts';

const HELP = `
Examples:
  $ tickmark rules check rules/mine-1.json               whether the service would load it; the first fault and its location
  $ tickmark rules explain                               the rule set in use, rule by rule
  $ tickmark rules explain rules/mine-1.json
  $ tickmark rules diff rules/base-2.json rules/mine-1.json
  $ RULES_FILE=rules/mine-1.json tickmark replay ticks.csv.gz   marks and probabilities with it, to compare with those without
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

export function addRules(program: Command, context: CliContext): void {
  const rules = program.command('rules').description('check, explain and compare rule sets').addHelpText('after', HELP);
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
}
