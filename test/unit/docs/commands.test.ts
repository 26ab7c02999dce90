import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { cliRun } from '../../support/cliRun.ts';
import { PAGES } from '../../support/pageBlocks.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

type Named = { readonly page: string; readonly words: readonly string[]; readonly options: readonly string[] };

/** Scripts of package.json that are a command of tickmark. */
const SCRIPTS: Readonly<Record<string, string>> = { train: 'train', 'setup:native': 'setup-native' };
/** After the name of a command: words that are no argument of it, by their look. */
const WORD = /^[a-z]+(-[a-z]+)*$/;

/** Every command that a page names, in a shell block, run or not, or in a sentence. */
function commandsOf(page: string): Named[] {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  const shell = [...text.matchAll(/^```(?:bash|sh)\n([^]*?)^```$/gm)].flatMap(([, code = '']) => code.replaceAll('\\\n', ' ').split('\n'));
  const prose = text.replace(/^(`{3,})[^]*?^\1/gm, '');
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  const named: Named[] = [];
  for (const line of [...shell, ...inline]) {
    const scripted = line.replace(/npm run (\S+)(?: --)?/g, (all, name: string) =>
      name in SCRIPTS ? `npx tickmark ${SCRIPTS[name]}` : all,
    );
    const [, rest] = /(?:^|\s)(?:npx )?tickmark ((?!-)[^#|]*)/.exec(scripted) ?? [];
    const isCommand = shell.includes(line) ? /(^|\s)tickmark [a-z]/.test(scripted) : /^(npx )?tickmark /.test(scripted);
    if (rest === undefined || !isCommand) continue;
    const tokens = rest.trim().split(/\s+/);
    const end = tokens.findIndex((token) => !WORD.test(token));
    const options = tokens.filter((token) => /^--[a-z]/.test(token)).map((token) => token.split('=')[0] as string);
    named.push({ page, words: end < 0 ? tokens : tokens.slice(0, end), options });
  }
  return named;
}

describe('the commands that pages name', () => {
  const helps = new Map<string, string>();
  async function helpOf(words: readonly string[]): Promise<string> {
    const name = words.join(' ');
    const known = helps.get(name) ?? (await cliRun({}, ...words, '--help')).out;
    helps.set(name, known);
    return known;
  }

  it('exist, with the options that stand there', async () => {
    const named = PAGES.filter((page) => !/^docs\/adr\/\d/.test(page)).flatMap(commandsOf);
    expect(named).to.have.length.above(70);
    for (const { page, words, options } of named) {
      const help = await helpOf(words);
      expect(help, page).to.match(new RegExp(`^Usage: tickmark ${words.join(' ')}(?: |$)`, 'm'));
      for (const option of options)
        expect(help, `${page}: tickmark ${words.join(' ')} ${option}`).to.match(new RegExp(`${option}(?![\\w-])`));
    }
  });

  it('with npm run are scripts of the package', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    for (const page of PAGES)
      for (const [, name = ''] of readFileSync(path.join(ROOT, page), 'utf8').matchAll(/\bnpm run ([a-z][\w:]*)/g))
        expect(scripts, page).to.have.property(name);
  });
});
