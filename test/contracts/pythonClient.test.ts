import { readFileSync } from 'node:fs';
import { expect } from 'chai';

const FOLDER = new URL('../../clients/python/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

describe('the Python client', () => {
  it('calls every route that serves data', () => {
    const wire = read('src/tickmark/_wire/__init__.py').split('ROUTES: dict')[1]?.split(/^}/m)[0] ?? '';
    const names = [...wire.matchAll(/^ {4}"(\w+)": \(/gm)].map((row) => row[1]);
    expect(names).to.include.members(['tickForecast', 'ready']).and.not.include.members(['openApi', 'console']);
    const calls = ['_async', '_async_account', '_calls'].map((name) => read(`src/tickmark/${name}.py`)).join('');
    expect(names.filter((name) => !calls.includes(`make_call("${name}"`))).to.deep.equal([]);
  });

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', FOLDER), 'utf8')) as { version: string };
    expect(read('src/tickmark/_version.py')).to.include(`\n__version__ = "${version}"\n`);
  });
});
