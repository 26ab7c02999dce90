import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { nav, sidebar } from '../sidebar.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The site is the Markdown of the repository as it stands: the folders are kept, so that a link works here as it works in an editor or on a
 * code host. A README is the index of its folder. Dead links fail the build.
 */
export default {
  title: 'tickmark',
  description: 'Self-hosted forecasts of trade opportunities from irregular millisecond ticks',
  lang: 'en',
  srcDir: '..',
  srcExclude: ['{bench,bin,deploy,dist,dist.*,models,node_modules,rules,scripts,site,src,test,training,data}/**', '**/node_modules/**'],
  outDir: '../dist.site',
  cacheDir: './node_modules/.cache/vitepress',
  base: process.env.DOCS_BASE ?? '/',
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  cleanUrls: false,
  metaChunk: true,
  markdown: {
    config: (markdown) => {
      markdown.core.ruler.push('links_of_the_repository', mendLinks);
      // Pages are Markdown, not Vue: braces within code mean themselves.
      const code = markdown.renderer.rules.code_inline;
      markdown.renderer.rules.code_inline = (tokens, i, ...rest) => {
        tokens[i].attrSet('v-pre', '');
        return code(tokens, i, ...rest);
      };
    },
  },
  themeConfig: {
    nav,
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
    footer: { message: 'Apache-2.0. No investment advice.' },
  },
};

/** Links to a README go to the index of its folder; links to files that are no pages stay as their text, for the site does not hold them. */
function mendLinks({ tokens, env }) {
  for (const { children } of tokens) {
    const open = [];
    for (const token of children ?? []) {
      if (token.type === 'link_open') {
        const [target = '', anchor = ''] = (token.attrGet('href') ?? '').split(/(?=#)/);
        if (!/^(https?:|mailto:|#|$)/.test(target)) {
          const file = path.resolve(path.dirname(path.join(root, env.relativePath ?? '')), target);
          if (/README\.md$/.test(target)) token.attrSet('href', target.replace(/README\.md$/, 'index.md') + anchor);
          else if (!target.endsWith('.md') && existsSync(file)) {
            token.tag = 'span';
            token.attrs = [['title', `In the repository: ${path.relative(root, file)}`]];
          }
        }
        open.push(token);
      }
      if (token.type === 'link_close') token.tag = open.pop()?.tag ?? 'a';
    }
  }
}
