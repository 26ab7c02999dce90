import type { TOptional, TUnsafe } from 'typebox';
import { Type } from '../core/schema.ts';
import { fieldProblem, invalidRequest } from '../core/ServiceError.ts';
import {
  FORECAST_OPTIONS,
  type ForecastOptions,
  type NameAt,
  type OptionFields,
  type OptionRow,
  optionsAt,
  type Place,
  refusalText,
  sentenceOf,
} from './forecastOptions.ts';

type Schemas<P extends Place> = { readonly [N in NameAt<P>]: TOptional<TUnsafe<NonNullable<OptionFields<P>[N]>>> };

/** The fields of the options at a place, for a schema; `about`: their description, default that of the table. */
export function optionSchemas<P extends Place>(place: P, about?: string): Schemas<P> {
  const fields = optionsAt(place).map(([name, row]) => {
    const schema = { ...row.form.json, description: about ?? sentenceOf(row), ...(about === undefined ? { examples: [row.example] } : {}) };
    return [name, Type.Optional(Type.Unsafe(schema))] as const;
  });
  return Object.fromEntries(fields) as Schemas<P>;
}

const ROWS = Object.entries<OptionRow>(FORECAST_OPTIONS);
const KEYS = ROWS.map(([, { key }]) => key);

/** The options of an object of JSON whose schema was checked. Throws ServiceError `request.invalid` if one excludes another. */
export function optionsOf(fields: Readonly<Record<string, unknown>>, pointer = ''): ForecastOptions {
  const options: Record<string, unknown> = {};
  for (const [name, { key, form, excludes }] of ROWS) {
    const value = fields[name];
    if (value === undefined) continue;
    options[key] = form.flag === undefined ? value : value === form.flag;
    if (excludes !== undefined && fields[excludes.name] !== undefined) {
      const detail = `${name} and ${excludes.name} ${excludes.why}; both are sent.`;
      throw invalidRequest([fieldProblem(`${pointer}/${name}`, excludes.code, detail)]);
    }
  }
  return options;
}

/** The same as an object of JSON, with what may stand at a place. */
export function fieldsOf<P extends Place>(place: P, options: ForecastOptions): OptionFields<P> {
  const values: Readonly<Record<string, unknown>> = options;
  const given = optionsAt(place).filter(([, { key }]) => values[key] !== undefined);
  return Object.fromEntries(given.map(([name, { key, form }]) => [name, form.flag ?? values[key]])) as OptionFields<P>;
}

/** Throws ServiceError `request.invalid` for a value that no schema has let through: options may come from a program. */
export function checkOptions(options: ForecastOptions): void {
  const values: Readonly<Record<string, unknown>> = options;
  for (const key of KEYS) {
    const value = values[key];
    if (value === undefined) continue;
    const [name, { form, outOfRange = 'query.malformed' }] = ROWS.find(([, row]) => row.key === key)!;
    const fault = form.fault(value);
    if (fault !== undefined) throw invalidRequest([fieldProblem(`?${name}`, outOfRange, refusalText(name, fault))]);
  }
}
