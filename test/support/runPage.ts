import { execFile } from 'node:child_process';
import * as path from 'node:path';
import { expect } from 'chai';
import type { PageBlock } from './pageBlocks.ts';
import { builtFolder } from './tickmarkProcess.ts';

/** Lines that the harness has already executed. */
const DONE = /^(npm ci|npm start)$/;
const NEXT = '=== next block';

export type PageRun = {
  /** URL of the running service; replaces http://127.0.0.1:8080. */
  readonly url: string;
  /** Replaces you@example.com. */
  readonly email: string;
  readonly folder: string;
  readonly dataDir: string;
};

/**
 * Runs the shell blocks of a page sequentially in one shell, like a reader. Returns the output of each. Throws with standard error if a
 * command fails.
 */
export async function runBlocks(blocks: readonly Pick<PageBlock, 'code'>[], { url, email, folder, dataDir }: PageRun): Promise<string[]> {
  const script = blocks.map(({ code }) =>
    code
      .split('\n')
      .filter((line) => !DONE.test(line))
      .join('\n'),
  );
  const here = script
    .join(`\necho '${NEXT}'\n`)
    .replaceAll('http://127.0.0.1:8080', url)
    .replaceAll('you@example.com', email)
    .replaceAll('npx tickmark', `'${process.execPath}' '${path.join(builtFolder(), 'src', 'main.js')}'`);
  // The commands of a page must not use the MongoDB of the tests.
  const env = { ...process.env, MONGODB_URI: '', DATA_DIR: dataDir, FORECAST_DEADLINE_MS: '60000' };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-euo', 'pipefail', '-c', here], { cwd: folder, env, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const printed = stdout.split(`${NEXT}\n`);
      if (error === null) resolve(printed);
      else
        reject(
          new Error(`Block ${printed.length} ended with ${error.code}:\n${blocks[printed.length - 1]?.code}${stderr}${printed.at(-1)}`),
        );
    });
  });
}

/** Compares the output of a block with its page: JSON except for values that differ between runs, text including all numbers. */
export function expectPrinted({ code, prints }: PageBlock, printed: string): void {
  if (prints === undefined) return;
  if (prints.language === 'json') {
    expect(shapeOf(JSON.parse(printed)), code).to.deep.equal(shapeOf(JSON.parse(prints.text)));
    return;
  }
  expect(masked(printed), code).to.equal(masked(prints.text));
  const shown = numbersOf(prints.text);
  // Backends may round the last digits differently.
  numbersOf(printed).forEach((value, i) => expect(value, code).to.be.closeTo(shown[i] ?? NaN, 1e-3 * Math.max(1, Math.abs(value))));
}

const NUMBER = /\d+(?:\.\d+)?/g;
const masked = (text: string): string => text.trimEnd().replace(NUMBER, '#');
const numbersOf = (text: string): number[] => [...text.matchAll(NUMBER)].map(([digits]) => Number(digits));

/** Ids, keys, times and the e-mail: only their types are compared. */
const VOLATILE = /^(id|api_key|prefix|email|created_at|revoked_at|works_until|requestId)$/;

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, VOLATILE.test(name) ? typeof member : shapeOf(member)]));
  return value;
}
