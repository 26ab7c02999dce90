import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';

const IMPORT = /^(?:import|export)\s+(?!type\s)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const HEAVY = /^(?:@tensorflow\/|@modelcontextprotocol\/|koa|mongodb|libsql|argon2|ws$|prom-client|pino|fflate)/;

/** Heavy packages that a file loads when it is imported, directly or through others, each with the chain of files. */
function heavyPackages(file: string, chain: readonly string[] = [], seen = new Set<string>()): string[] {
  if (seen.has(file) || !existsSync(file)) return [];
  seen.add(file);
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].flatMap(([, target = '']) => {
    if (target.startsWith('.')) return heavyPackages(path.join(path.dirname(file), target), [...chain, file], seen);
    return HEAVY.test(target) ? [[...chain, file, target].join(' -> ')] : [];
  });
}

describe('the command line', () => {
  it('loads TensorFlow.js, the server and the stores only for commands that need them', () => {
    const commands = [...readFileSync('src/cli/run.ts', 'utf8').matchAll(/import\('\.\/([^']+)'\)/g)].map(([, file]) => `src/cli/${file}`);
    expect(commands).to.include('src/cli/forecast/predict.ts');
    expect(['src/cli/run.ts', ...commands].flatMap((file) => heavyPackages(file))).to.deep.equal([]);
  });

  it('makes a forecast without any of them', () => {
    expect(heavyPackages('src/service/app/openLocalForecaster.ts')).to.deep.equal([]);
  });

  it('would be reported if it did', () => {
    expect(heavyPackages('src/service/app/openForecaster.ts').join()).to.include('@tensorflow/');
  });
});
