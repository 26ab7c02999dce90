import { InvalidArgumentError } from 'commander';

export type Groups = Readonly<Record<string, readonly string[]>>;

/** Adds `name=a,b` to the groups named so far. Throws commander's InvalidArgumentError. */
export function addGroup(text: string, before: Groups = {}): Groups {
  const [name, members] = text.split('=').map((part) => part.trim());
  const names = (members ?? '').split(',').map((member) => member.trim());
  if (name === undefined || name === '' || names.includes('') || text.split('=').length !== 2)
    throw new InvalidArgumentError('Write a name and its series: eurusd=eurusd-a,eurusd-b.');
  return { ...before, [name]: names };
}
