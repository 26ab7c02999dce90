import { escapeHtml } from './html.ts';
import type { ConsoleFiles } from '../console/readConsole.ts';

/** Request paths of the files that the pages load. */
export type DocsFiles = { readonly script: string; readonly theme: string; readonly style: string; readonly icon: string };

type Shell = {
  readonly name: string;
  readonly title: string;
  readonly main: string;
  readonly links: readonly { readonly name: string; readonly text: string }[];
  readonly files: DocsFiles | undefined;
};

/** The files of the pages among those of the console; undefined if one is missing. */
export function docsFiles(files: ConsoleFiles | undefined): DocsFiles | undefined {
  const paths = [...(files?.keys() ?? [])];
  const find = (stem: string, extension: string): string | undefined =>
    paths.find((path) => path.startsWith(`/console/${stem}.`) && path.endsWith(extension));
  const [script, theme, style, icon] = [find('docs', '.js'), find('theme', '.js'), find('docs', '.css'), find('icon', '.svg')];
  if (script === undefined || theme === undefined || style === undefined || icon === undefined) return undefined;
  return { script, theme, style, icon };
}

const headOf = ({ script, theme, style, icon }: DocsFiles): string =>
  `<link rel="icon" href="${icon}" type="image/svg+xml"><link rel="stylesheet" href="${style}"><script src="${theme}"></script><script type="module" src="${script}"></script>`;

/** Where search and colours appear when the script of the page runs. */
const TOOLS =
  '<div class="find" id="find-box" role="search" hidden><input type="search" id="find" aria-label="Search routes, errors and settings" ' +
  'placeholder="Search routes, errors, settings" autocomplete="off" spellcheck="false" aria-controls="found">' +
  '<div id="found" hidden><p class="hint" id="found-count" role="status"></p><ul class="entries" id="found-list"></ul></div></div>' +
  '<button type="button" class="plain" id="theme" hidden>Dark</button>';

/** A whole page around its main part. The list of pages comes after it: on a phone, it is at the end. */
export function renderShell({ name, title, main, links, files }: Shell): string {
  const items = links.map(
    (link) => `<li><a href="/docs/${escapeHtml(link.name)}"${link.name === name ? ' aria-current="page"' : ''}>${link.text}</a></li>`,
  );
  const icon = files === undefined ? '' : `<img src="${files.icon}" alt="" width="24" height="24">`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    `<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)} · tickmark</title>${files === undefined ? '' : headOf(files)}</head><body>`,
    '<a class="skip" href="#main">Skip to the text</a>',
    `<header class="top"><p class="brand">${icon}<a href="/">tickmark</a></p><nav class="views" aria-label="Views"><a href="/docs"${name === '' ? ' aria-current="page"' : ''}>API</a></nav>${TOOLS}</header>`,
    `<div class="docs"><main id="main" tabindex="-1">${main}</main><nav class="pages" aria-label="Pages"><ul>${items.join('')}</ul></nav></div>`,
    '</body></html>',
  ].join('\n');
}
