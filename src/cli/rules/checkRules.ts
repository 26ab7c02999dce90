import { plural } from '../../core/plural.ts';
import { loadRuleSet } from '../../rules/loadRuleSet.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';

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
