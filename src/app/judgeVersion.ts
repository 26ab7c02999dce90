import type { JudgingVersion } from '../forecast/remote/WindowJudge.ts';
import type { NetworkFiles } from '../inference/child/NetworkChild.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import type { RuleSource } from '../rules/loadRuleSet.ts';
import { parseRuleSet } from '../rules/parseRuleSet.ts';
import { rulesSourceOf, type CommonRules } from './versionRules.ts';

/** What the process of the network is told of a version, so that it can judge windows. It is cloned on the way. */
export type Briefing = { readonly rules: RuleSource; readonly wantsContext: boolean };

/** In the service. */
export function briefingOf({ manifest, rules, inputs }: ModelFolder, common: CommonRules): Briefing {
  return { rules: rulesSourceOf(common, manifest.id, rules), wantsContext: inputs !== undefined };
}

/** In the process of the network. */
export function judgingVersion({ manifest }: NetworkFiles, { rules, wantsContext }: Briefing): JudgingVersion {
  return { manifest, ruleSet: parseRuleSet(rules.json, rules.source), wantsContext };
}
