import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { PASSING_CODES } from '../../clients/typescript/src/Transport.ts';
import { BATCH_BYTES, BATCH_ITEMS } from '../../clients/typescript/src/forecastBatches.ts';
import { ROUTES } from '../../src/contract/routes.ts';
import { ERROR_CODES } from '../../src/core/errorTable.ts';

const FOLDER = new URL('../../clients/python/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const quoted = (text: string): string[] => [...text.matchAll(/"([^"]+)"/g)].map((match) => match[1] as string);
/** Routes that serve pages, not data. */
const PAGES = ['/', '/openapi.json', '/asyncapi.json', '/docs', '/docs/{id}', '/llms.txt'];

describe('the Python client', () => {
  const codes = read('src/tickmark/_codes.py');
  const part = (from: string): string => codes.split(from)[1]?.split(/^[\])}]/m)[0] ?? '';

  it('has exactly the codes of the error table', () => {
    expect(quoted(part('ErrorCode = Literal['))).to.deep.equal(ERROR_CODES);
  });

  it('retries after the same codes as the TypeScript client', () => {
    expect(quoted(part('PASSING_CODES = frozenset('))).to.deep.equal(PASSING_CODES);
  });

  it('has every route of the table, and calls it', () => {
    const rows = [...part('ROUTES: dict').matchAll(/"(\w+)": \("(\w+)", "([^"]+)"\)/g)].map((row) => row.slice(1));
    const data = Object.entries(ROUTES).filter(([, { path }]) => !PAGES.includes(path) && !path.startsWith('/console'));
    expect(rows).to.deep.equal(data.map(([name, { method, path }]) => [name, method, path]));
    const calls = read('src/tickmark/_async.py') + read('src/tickmark/_calls.py');
    expect(rows.filter(([name]) => !calls.includes(`make_call("${name}"`))).to.deep.equal([]);
  });

  it('splits batches by the same limits as the TypeScript client', () => {
    const calls = read('src/tickmark/_calls.py');
    expect(calls)
      .to.include(`BATCH_ITEMS = ${BATCH_ITEMS}\n`)
      .and.include(`BATCH_BYTES = ${BATCH_BYTES / 1024 ** 2} * 1024 * 1024\n`);
  });

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', FOLDER), 'utf8')) as { version: string };
    expect(read('pyproject.toml')).to.include(`\nversion = "${version}"\n`);
  });
});
