import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { PAGES } from '../../support/pageBlocks.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

const LINK = /\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g;

const prose = (page: string): string => readFileSync(path.join(ROOT, page), 'utf8').replace(/^(`{3,})[^]*?^\1/gm, '');

/** The anchors of a page's headings, as code hosts and the site make them. */
function anchorsOf(page: string): string[] {
  return [...prose(page).matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

/** Files of the program, its tests and its deployment that may name a page, relative to the root. */
function sources(): string[] {
  const folders = ['src', 'training', 'test', 'bench', 'scripts', 'bin', 'clients', 'deploy'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
  );
  return [...folders, 'Dockerfile', 'Dockerfile.gpu'].filter(
    (name) => /\.(?:[cm]?[jt]s|py|sh|ya?ml)$|Dockerfile/.test(name) && !name.includes('node_modules'),
  );
}

describe('the pages', () => {
  for (const page of PAGES)
    it(`${page} links to what is there`, () => {
      for (const [, target = '', anchor] of prose(page).matchAll(LINK)) {
        if (/^[a-z]+:/.test(target)) continue;
        const file = target === '' ? page : path.join(path.dirname(page), target);
        expect(existsSync(path.join(ROOT, file)), target).to.equal(true);
        if (anchor !== undefined) expect(anchorsOf(file), `${target}#${anchor}`).to.include(anchor);
      }
    });

  it('are all in the table of docs/README.md, and in the sidebar of the site', async () => {
    // A module of the site's folder, which no TypeScript project holds.
    const { sidebar } = (await import(path.join(ROOT, 'site', 'sidebar.js'))) as { sidebar: { items: { link: string }[] }[] };
    const inSidebar = sidebar.flatMap(({ items }) =>
      items.map(({ link }) =>
        link
          .replace(/\/$/, '/README.md')
          .replace(/\.html$/, '.md')
          .slice(1),
      ),
    );
    const records = (name: string): boolean => /^docs\/adr\/\d/.test(name);
    const notListed = ['docs/README.md'];
    expect(inSidebar).to.have.members(PAGES.filter((name) => !records(name) && !notListed.includes(name)));
    const table = readFileSync(path.join(ROOT, 'docs', 'README.md'), 'utf8');
    const others = PAGES.filter((name) => /^docs\/(?!README|adr\/\d|benchmarks\/(?!README))/.test(name));
    for (const name of others) expect(table).to.include(`](${name.replace('docs/', '')})`);
    const index = readFileSync(path.join(ROOT, 'docs', 'adr', 'README.md'), 'utf8');
    for (const name of PAGES.filter(records)) expect(index).to.include(`](${path.basename(name)})`);
  });

  it('are there if a source names them, with the heading that it cites', () => {
    const headings = (page: string): string[] => [...prose(page).matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) => heading);
    let cited = 0;
    for (const file of sources()) {
      // Comments wrap within a citation.
      const text = readFileSync(path.join(ROOT, file), 'utf8').replace(/\n\s*(?:\*|\/\/|#)\s+/g, ' ');
      for (const [, named = '', heading] of text.matchAll(/(?<![\w./])(docs\/[\w/.-]*\w)(?:(?:,| \() ?"([^"]+)")?/g)) {
        // A decision record may be named by its number alone.
        const found = existsSync(path.join(ROOT, named)) || PAGES.some((page) => page.startsWith(`${named}-`));
        expect(found, `${file}: ${named}`).to.equal(true);
        if (heading === undefined) continue;
        cited++;
        expect(headings(named), `${file}: ${named}`).to.include(heading);
      }
    }
    expect(cited).to.be.above(8);
  });

  it('show pictures that are there, none of them heavy', () => {
    const shown = PAGES.flatMap((page) => [...prose(page).matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, file = '']) => path.basename(file)));
    const folder = path.join(ROOT, 'docs', 'pictures');
    for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).size, name).to.be.lessThan(400_000);
    for (const name of shown) expect(readdirSync(folder)).to.include(name);
  });
});
