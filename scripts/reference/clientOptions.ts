import { type OptionRow, optionsAt, type Place, sentenceOf } from '../../src/contract/forecastOptions.ts';
import { boundsText } from '../../src/contract/optionForms.ts';
import { QUERY_PARAMETERS, type QueryName } from '../../src/contract/queryParameters.ts';
import { PythonTypes } from './pythonWire.ts';
import { typeOf, wireJson } from './wireTypes.ts';

/** Parameters of a request that calls of the clients have in addition to the options of a forecast. */
const OF_CALLS: readonly QueryName[] = ['bar_time', 'memory', 'series', 'timing'];

type Option = Omit<OptionRow, 'where'> & { readonly name: string };

const namesAt = (place: Place): readonly string[] => optionsAt(place).map(([name]) => name);
const optionsOf = (names: readonly string[]): Option[] => names.map((name) => ({ name, ...QUERY_PARAMETERS[name as QueryName] }));
const OF_QUERY = optionsOf([...namesAt('query'), ...OF_CALLS]);

function sentence(row: Option): string {
  const { about, form } = row;
  if (form.flag !== undefined) return sentenceOf({ ...row, about: `true: ${about.slice(0, 1).toLowerCase()}${about.slice(1)}` });
  const { minimum, maximum }: { readonly minimum?: number; readonly maximum?: number } = form.json;
  return sentenceOf(minimum === undefined ? row : { ...row, about: `${about}, ${boundsText({ minimum, maximum: maximum! })}` });
}

function member(row: Option): string {
  const json = wireJson(row.form.json);
  const type = row.form.flag === undefined ? typeOf(json, new Map(), '') : 'boolean';
  return `  /** ${sentence(row)} */\n  readonly ${row.key}?: ${type.endsWith('[]') ? `readonly ${type}` : type} | undefined;`;
}

const typeWith = (name: string, about: string, rows: readonly Option[]): string =>
  `/** ${about} */\nexport type ${name} = {\n${rows.map(member).join('\n')}\n};\n`;

const WRITTEN = '// Written by `npm run docs:reference` from src/contract/forecastOptions.ts and queryParameters.ts.\n';

/** clients/typescript/src/options.ts */
export function typeScriptOptions(): string {
  const keys = (place: Place): string => optionsOf(namesAt(place)).map(({ key }) => `'${key}'`).join(', '); // prettier-ignore
  const entries = OF_QUERY.map(({ key, name, form }) => `  ${key}: '${name}${form.flag === undefined ? '' : `=${form.flag}`}',`);
  return [
    WRITTEN,
    typeWith('RequestOptions', 'What is asked of a forecast.', OF_QUERY),
    `/** Names in a query, with the text of what is switched on. */\nexport const QUERY_NAMES = {\n${entries.join('\n')}\n} as const;\n`,
    `/** Options of the forecasts of a live series, and of a live request for one. */\nexport const LIVE_OPTIONS = [${keys('live plan')}] as const;`,
    `export const ASK_OPTIONS = [${keys('live ask')}] as const;\n`,
  ].join('\n');
}

const OF_ENGINE = namesAt('engine replay');
const OF_ENGINE_ONCE = namesAt('engine forecast').filter((name) => !OF_ENGINE.includes(name));

/** clients/engine/src/options.ts */
export function engineOptions(): string {
  return [
    WRITTEN,
    typeWith('OptionsOfAll', 'What is asked of each forecast.', optionsOf(OF_ENGINE)),
    typeWith('OptionsOfOne', 'What is asked of one forecast.', optionsOf(OF_ENGINE_ONCE)),
  ].join('\n');
}

/** Names that are something else in Python. */
const PYTHON_NAMES: Readonly<Record<string, string>> = { range: 'price_range', memory: 'memory_off' };
type Naming = (row: Option) => string;
const pythonName: Naming = ({ name }) => PYTHON_NAMES[name] ?? name;
/** The child that runs the engine reads them so. */
const engineName: Naming = ({ key }) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `=off`: the text of what is switched on; `number cost`: a number, or this word. */
function formIn({ form }: Option): string {
  if (form.flag !== undefined) return `=${form.flag}`;
  const { type, anyOf = [] } = wireJson(form.json);
  if (type === 'array') return 'list';
  const words = anyOf.flatMap((each) => each.const ?? []);
  return type === 'number' || words.length > 0 ? ['number', ...words].join(' ') : 'text';
}

/** clients/python/src/tickmark/_options.py */
export function pythonOptions(): string {
  const types = new PythonTypes();
  const typeIn = (row: Option): string => {
    const type = row.form.flag === undefined ? types.typeOf(wireJson(row.form.json), row.name) : 'bool';
    return type.replace(/^list\[/, 'Iterable[');
  };
  const of = (name: string, base: string, about: string, rows: readonly Option[], naming = pythonName): string[] => [
    ...['', '', `class ${name}(${base}, total=False):`, `    """${about}`, ''],
    ...[...rows.map((row) => `    ${naming(row)}: ${sentence(row)}`), '    """', ''],
    ...rows.map((row) => `    ${naming(row)}: Optional[${typeIn(row)}]`),
  ];
  const alone = ['min_move_bps', 'timing', 'series'];
  return [
    '"""Options of forecasts: written by `npm run docs:reference` from src/contract/forecastOptions.ts and queryParameters.ts."""',
    ...['', 'from __future__ import annotations', '', 'from typing import Iterable, Literal, Optional, TypedDict, Union'],
    ...of(
      'HorizonOptions',
      'TypedDict',
      'What is asked of each forecast of several horizons.',
      OF_QUERY.filter(({ name }) => !alone.includes(name)),
    ),
    ...of('BatchOptions', 'HorizonOptions', 'What is asked of each forecast of a batch.', optionsOf(['min_move_bps'])),
    ...of('ForecastOptions', 'BatchOptions', 'What is asked of a forecast.', optionsOf(['series', 'timing'])),
    ...of('AskOptions', 'TypedDict', 'What is asked of one forecast of a live series.', optionsOf(namesAt('live ask'))),
    ...of('EngineOptions', 'TypedDict', 'What is asked of each forecast of the engine.', optionsOf(OF_ENGINE), engineName),
    ...of('EngineOnceOptions', 'EngineOptions', 'What is asked of one forecast of the engine.', optionsOf(OF_ENGINE_ONCE), engineName),
    ...['', '', '# Names in a query, and the form: a text, a list of numbers, a number or a word, or =, the text of what is switched on.'],
    'QUERY_NAMES: dict[str, tuple[str, str]] = {',
    ...OF_QUERY.map((row) => `    "${pythonName(row)}": ("${row.name}", "${formIn(row)}"),`),
    ...['}', '', '# Of the forecasts of a live series, with their names on the wire.'],
    `PLAN_OPTIONS = frozenset((${namesAt('live plan').map((name) => `"${name}"`).join(', ')}))`, // prettier-ignore
    '',
  ].join('\n');
}
