import { type Command, InvalidArgumentError } from 'commander';
import { type ForecastOptions, type OptionRow, optionsAt, type Place } from '../contract/forecastOptions.ts';
import type { Form } from '../contract/optionForms.ts';
import { ServiceError } from '../core/ServiceError.ts';

/** The values of options as commander has them: `minMoveBps` of `--min-move-bps`. */
export type ForecastFlags = Readonly<Record<string, unknown>>;

const flagOf = (name: string): string => `--${name.replaceAll('_', '-')}`;
const attributeOf = (name: string): string => name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase());

/** A parser for a value of a form. Throws commander's InvalidArgumentError (exit code 2). */
export function parserOf<T>(form: Form<T>, example: unknown): (text: string) => T {
  return (text) => {
    // A shell is typed in: .5 is 0.5.
    const given = text.replaceAll(/(?<=^|,)\./g, '0.');
    const refusal = form.refusalOf(given);
    if (refusal !== undefined) throw new InvalidArgumentError(`It must ${refusal.rule}, such as ${String(example)}.`);
    return form.parse(given);
  };
}

function helpOf(row: OptionRow): string {
  const text = row.default === undefined ? row.about : `${row.about} (default: ${row.default})`;
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** Adds the options of a forecast that a command has. */
export function addForecastFlags(command: Command, place: Place): Command {
  for (const [name, row] of optionsAt(place))
    if (row.form.placeholder === '') command.option(flagOf(name), helpOf(row));
    else command.option(`${flagOf(name)} <${row.form.placeholder}>`, helpOf(row), parserOf(row.form, row.example));
  return command;
}

/** The options that were typed. Throws ServiceError `command.invalid` if one excludes another. */
export function optionsOfFlags(place: Place, flags: ForecastFlags): ForecastOptions {
  const options: Record<string, unknown> = {};
  for (const [name, { key, excludes }] of optionsAt(place)) {
    const value = flags[attributeOf(name)];
    if (value === undefined) continue;
    options[key] = value;
    if (excludes !== undefined && flags[attributeOf(excludes.name)] !== undefined)
      throw new ServiceError('command.invalid', `${flagOf(name)} and ${flagOf(excludes.name)} ${excludes.why}; both were given.`);
  }
  return options;
}
