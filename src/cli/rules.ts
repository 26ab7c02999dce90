import { type Command } from 'commander';
import type { CliContext, GlobalOptions } from './CliContext.ts';
import { checkRules } from './rules/checkRules.ts';
import { diffRules } from './rules/diffRules.ts';
import { explainRules } from './rules/explainRules.ts';

const HELP = `
Examples:
  $ tickmark rules check rules/mine-1.json               whether the service would take it; the first fault with its place
  $ tickmark rules explain                               the set that answers now, rule by rule
  $ tickmark rules explain rules/mine-1.json
  $ tickmark rules diff rules/base-1.json rules/mine-1.json
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
  $ tickmark rules diff rules/base-1.json rules/mine-1.json

Says what was added, removed and changed. The order of rules, literals and fields means nothing, and is no difference.`;

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
}
