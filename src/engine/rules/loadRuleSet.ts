import { open } from 'node:fs/promises';
import * as path from 'node:path';
import { packageRoot } from '../../core/packageRoot.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { parseRuleSet } from './parseRuleSet.ts';
import type { RuleSet } from './RuleSet.ts';

const MAX_BYTES = 262_144;

/** The rule set that ships with tickmark. */
export function defaultRuleSetPath(): string {
  return path.join(packageRoot(), 'rules', 'base-2.json');
}

/** Reads and checks a rule set file. `source`: what messages name. Throws `file.unreadable`, or `rules.refused` with the reason. */
export async function loadRuleSet(file: string, source = file): Promise<RuleSet> {
  const text = await readBounded(file, source);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('rules.refused', `${source}: not valid JSON: ${(cause as Error).message}`, { cause });
  }
  return parseRuleSet(json, source);
}

/** The rules of the setting RULES_FILE, or those that ship. Throws as `loadRuleSet`. */
export function loadServedRules({ rulesFile }: { readonly rulesFile: string }): Promise<RuleSet> {
  return rulesFile === '' ? loadRuleSet(defaultRuleSetPath()) : loadRuleSet(rulesFile, `RULES_FILE=${rulesFile}`);
}

/** Reads at most one byte more than MAX_BYTES, whatever the size of the file. */
async function readBounded(file: string, source: string): Promise<string> {
  const buffer = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  try {
    await using handle = await open(file);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) break;
    }
  } catch (cause) {
    throw new ServiceError('file.unreadable', `${source}: ${(cause as Error).message}`, { cause });
  }
  if (length > MAX_BYTES) throw new ServiceError('rules.refused', `${source}: larger than ${MAX_BYTES} bytes. Make the rule set smaller.`);
  return buffer.toString('utf8', 0, length);
}
