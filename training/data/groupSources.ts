import { ServiceError } from '../../src/core/ServiceError.ts';
import { nearestName } from '../../src/rules/nearestName.ts';
import type { CorrelatedPair } from './findCorrelated.ts';
import { instrumentName } from './instrumentName.ts';

type Groups = Readonly<Record<string, readonly string[]>>;

/** Most instruments that a message names. */
const SHOWN_NAMES = 10;

/**
 * The user's groups with members as instrument names; the user may write a member as a file, with folder and extensions. Throws
 * ServiceError command.invalid for an unknown instrument, and for a group with the name of an instrument that is not in it.
 */
export function resolveGroups(groups: Groups, names: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(groups).map(([group, members]) => {
      const resolved = members.map((member) => resolveMember(group, member, names));
      if (names.includes(group) && !resolved.includes(group)) {
        throw new ServiceError(
          'command.invalid',
          `The group ${group} has the name of an instrument that is not in it. Choose another name.`,
        );
      }
      return [group, resolved];
    }),
  );
}

function resolveMember(group: string, member: string, names: readonly string[]): string {
  const found = [member, instrumentName(member)].find((name) => names.includes(name));
  if (found !== undefined) return found;
  const nearest = nearestName(instrumentName(member), names);
  const known = names.slice(0, SHOWN_NAMES).join(', ') + (names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '');
  const hint = nearest === null ? `the data has ${known}` : `did you mean ${nearest}? The data has ${known}`;
  throw new ServiceError('command.invalid', `The group ${group} names ${member}, which is not an instrument of the data: ${hint}.`);
}

/**
 * Builds one group for each connected set of sources, connected by the user's groups and by pairs that move together. Its name is the
 * user's; if it contains two of the user's groups, their names joined by `+`; if none, its members joined by `+`.
 *
 * @param groups from `resolveGroups`
 * @returns the group of every source, and a sentence for each detected pair that was not in one group of the user
 */
export function groupSources(
  names: readonly string[],
  groups: Groups,
  pairs: readonly CorrelatedPair[],
): { groupOf: Map<string, string>; notes: string[] } {
  const parent = new Map(names.map((name) => [name, name]));
  const root = (name: string): string => {
    let at = name;
    for (let up = parent.get(at); up !== undefined && up !== at; up = parent.get(at)) at = up;
    return at;
  };
  const join = (a: string, b: string): void => void parent.set(root(a), root(b));
  for (const members of Object.values(groups)) members.forEach((member) => join(member, members[0] ?? member));
  const unsaid = pairs.filter(({ a, b }) => root(a) !== root(b));
  for (const { a, b } of pairs) join(a, b);

  const groupOf = new Map<string, string>();
  for (const top of new Set(names.map(root))) {
    const members = names.filter((name) => root(name) === top).sort();
    const given = Object.keys(groups).filter((group) => groups[group]?.some((member) => members.includes(member)));
    const name = (given.length > 0 ? given.sort() : members).join('+');
    for (const member of members) groupOf.set(member, name);
  }
  return { groupOf, notes: unsaid.map(noteOf) };
}

function noteOf({ a, b, correlation, bars, barS }: CorrelatedPair): string {
  const count = bars.toLocaleString('en-US');
  const over = barS === 60 ? `${count} minutes` : `${count} bars of ${barS} s`;
  const how = correlation > 0 ? 'move together' : 'move against each other';
  return `${a} and ${b} ${how} (r = ${correlation.toFixed(2)} over ${over}): one group.`;
}
