import { readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import { isNode, parseDocument, visit, type Alias, type Document } from 'yaml';
import { reading } from '../../core/fileErrors.ts';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';
import { nearestName } from '../../core/nearestName.ts';
import { EXPERIMENT_SCHEMA, type Experiment } from './Experiment.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_ALIASED = 100;

/**
 * Reads an experiment file, YAML or JSON (which is YAML too), and checks it against its schema. Relative paths in it start at its folder.
 * Throws ServiceError `file.unreadable`, or `file.malformed` with the pointer, the value and the nearest known name.
 */
export function readExperiment(file: string): Experiment {
  const content = reading(file, () => read(file));
  const document = parseDocument(content, { uniqueKeys: true });
  const [fault] = document.errors;
  if (fault !== undefined) throw malformed(file, `line ${fault.linePos?.[0].line ?? 1}: ${fault.message.split('\n')[0]}`);
  const circular = findCircular(document);
  if (circular !== undefined) {
    const line = content.slice(0, circular.range?.[0]).split('\n').length;
    throw malformed(file, `line ${line}: *${circular.source} stands inside the value that it names`);
  }
  let value: unknown;
  try {
    // Aliases are limited: a few lines must not expand to gigabytes.
    value = document.toJS({ maxAliasCount: MAX_ALIASED });
  } catch (error) {
    const { message } = error as Error;
    throw malformed(file, /alias count/.test(message) ? `its aliases expand to more than ${MAX_ALIASED} values; write them out` : message);
  }
  const validate = new Ajv({ allErrors: false }).compile(EXPERIMENT_SCHEMA);
  if (!validate(value)) throw malformed(file, describe(validate.errors?.[0], value));
  return withPaths(value as Experiment, path.dirname(file));
}

/** Finds an alias inside the value that it names, which would be endless. */
function findCircular(document: Document): Alias | undefined {
  let found: Alias | undefined;
  visit(document, {
    Alias: (_key, alias, ancestors) => {
      if (!ancestors.some((node) => isNode(node) && 'anchor' in node && node.anchor === alias.source)) return undefined;
      found = alias;
      return visit.BREAK;
    },
  });
  return found;
}

function read(file: string): string {
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw malformed(file, `it has ${size} bytes; an experiment has at most ${MAX_BYTES}`);
  return readFileSync(file, 'utf8');
}

const malformed = (file: string, what: string): ServiceError =>
  new ServiceError('file.malformed', `The experiment ${file} is wrong: ${what.replace(/\.$/, '')}.`, {
    remedy: 'Correct the experiment file.',
  });

function describe(error: ErrorObject | undefined, value: unknown): string {
  const pointer = error?.instancePath === '' || error === undefined ? '/' : error.instancePath;
  if (error?.keyword === 'additionalProperties') {
    const name = String((error.params as { additionalProperty: string }).additionalProperty);
    const nearest = nearestName(name, Object.keys(EXPERIMENT_SCHEMA.properties));
    return `${pointer} has the unknown setting ${quoteValue(name)}${nearest === null ? '' : `; did you mean ${nearest}?`}`;
  }
  const at = pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((found, key) => (key === '' ? found : (found as Record<string, unknown>)?.[key]), value);
  const allowed = error?.keyword === 'enum' ? ` (${(error.params as { allowedValues: string[] }).allowedValues.join(', ')})` : '';
  return `${pointer} ${error?.message ?? 'is wrong'}${allowed}, and here it is ${quoteValue(at)}`;
}

function withPaths(given: Experiment, folder: string): Experiment {
  const from = (file: string): string => path.resolve(folder, file);
  return {
    ...given,
    ...(given.data === undefined ? {} : { data: given.data.map(from) }),
    ...(given.sources === undefined ? {} : { sources: from(given.sources) }),
    ...(given.out === undefined ? {} : { out: from(given.out) }),
  };
}
