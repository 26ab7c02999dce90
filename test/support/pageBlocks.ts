import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { ROOT } from './tickmarkProcess.ts';

/** A fenced block of a page. A `json` or `text` block right below a `bash` one is what its commands print. */
export type PageBlock = {
  readonly page: string;
  readonly language: string;
  readonly code: string;
  /** Its name in a list: the first line. */
  readonly first: string;
  readonly prints?: { readonly language: string; readonly text: string };
};

/** All Markdown files for readers, relative to the root, except model cards, which training writes. */
export const PAGES: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  'clients/python/README.md',
  'examples/README.md',
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.split(path.sep).join('/')}`),
].sort();

const FENCE = /^```(\w+)\n([^]*?)^```$/gm;

export function blocksOf(page: string): PageBlock[] {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  const blocks: PageBlock[] = [];
  let shellEnd = -1;
  for (const { 0: all, 1: language = '', 2: code = '', index } of text.matchAll(FENCE)) {
    const isPrinted = (language === 'json' || language === 'text') && text.slice(shellEnd, index).trim() === '' && shellEnd > 0;
    if (isPrinted) blocks.push({ ...(blocks.pop() as PageBlock), prints: { language, text: code } });
    else blocks.push({ page, language, code, first: code.split('\n')[0] ?? '' });
    shellEnd = language === 'bash' || language === 'sh' ? index + all.length : -1;
  }
  return blocks;
}
