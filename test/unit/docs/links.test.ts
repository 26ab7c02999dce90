import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../src/core/packageRoot.ts';

const ROOT = packageRoot();
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];
const LINK = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g;

describe('the pages', () => {
  for (const page of PAGES)
    it(`${page} links to what is there`, () => {
      const text = readFileSync(path.join(ROOT, page), 'utf8').replace(/```[^]*?```/g, '');
      for (const [, target = ''] of text.matchAll(LINK)) {
        if (/^https?:/.test(target)) continue;
        expect(existsSync(path.resolve(ROOT, path.dirname(page), target)), target).to.equal(true);
      }
    });
});
