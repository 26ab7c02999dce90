import { readFileSync } from 'node:fs';

/** The fenced blocks of a page in this language, in order. */
export function readBlocks(file: string | URL, language: string): string[] {
  const page = readFileSync(file, 'utf8');
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map((match) => match[1] as string);
}
