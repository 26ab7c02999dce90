import { ERROR_TABLE, FIELD_CODES } from '../../../core/errorTable.ts';
import type { ConsoleFiles } from '../console/readConsole.ts';
import type { HttpOptions } from '../HttpParts.ts';

export type DocsParts = {
  /** The names of the routes (`operationId`). */
  readonly routes: readonly string[];
  /** The messages of live series, as in AsyncAPI. */
  readonly messages: Readonly<Record<string, { readonly summary: string | undefined }>>;
  readonly settings: HttpOptions['settingWords'];
  /** The built console, which has script, styles and icon of the pages; without it, they are plain text. */
  readonly files: ConsoleFiles | undefined;
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
}

/** A line of our descriptions: text with `code` in it. */
const inline = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** Tags of the built files; empty if one is missing. Only the page of the routes has the script. */
function tagsOf(files: ConsoleFiles | undefined, isScripted: boolean): string {
  const paths = [...(files?.keys() ?? [])];
  const names = [/\/theme\.\w+\.js$/, /\/docs\.\w+\.css$/, /\/docs\.\w+\.js$/, /\/icon\.\w+\.svg$/];
  const [theme, style, script, icon] = names.map((name) => paths.find((path) => name.test(path)));
  if (theme === undefined || style === undefined || script === undefined) return '';
  const module = isScripted ? `<script type="module" src="${script}"></script>` : '';
  // Without one, browsers ask for /favicon.ico.
  const image = icon === undefined ? '' : `<link rel="icon" href="${icon}" type="image/svg+xml">`;
  return `${image}<link rel="stylesheet" href="${style}"><script src="${theme}"></script>${module}`;
}

function shell(files: ConsoleFiles | undefined, title: string, main: string): Buffer {
  return Buffer.from(
    [
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
      `<meta name="color-scheme" content="light dark"><title>${title} · tickmark</title>${tagsOf(files, main === ROUTES_PAGE)}</head><body>`,
      '<header class="top"><p class="brand"><a href="/">tickmark</a></p><nav class="views" aria-label="Views"><a href="/docs">API</a>',
      '<a href="/docs/errors">Errors</a><a href="/docs/messages">Live messages</a><a href="/docs/settings">Settings</a></nav>',
      `<button type="button" class="plain" id="theme" hidden>Dark</button></header><main>${main}</main></body></html>`,
    ].join('\n'),
  );
}

type Row = readonly [name: string, ...cells: string[]];

/** A heading and a table, whose rows can be linked to by their name. */
function list(title: string, lead: string, columns: readonly string[], rows: readonly Row[]): string {
  const head = columns.map((name) => `<th scope="col">${name}</th>`).join('');
  const body = rows.map(([name, ...cells]) => {
    const others = cells.map((cell) => `<td>${inline(cell)}</td>`).join('');
    return `<tr id="${escapeHtml(name)}"><th scope="row"><code>${escapeHtml(name)}</code></th>${others}</tr>`;
  });
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`;
  return `<h1>${title}</h1><p>${lead}</p><div class="scroll" tabindex="0" role="group" aria-label="${title}">${table}</div>`;
}

const ROUTES_PAGE =
  '<div id="api"><h1>API</h1><p>The script of this page lists the routes, with a form that sends each. ' +
  'Without it: <a href="/openapi.json">OpenAPI 3.1</a> and <a href="/asyncapi.json">AsyncAPI 3.0</a>.</p></div>';

/** The pages of the API by name, '' for the front page; undefined for other names. */
export function createDocs({ routes, messages, settings, files }: DocsParts): (name: string) => Buffer | undefined {
  const errors = list(
    'Errors',
    'Every 4xx and 5xx answer is a problem document (RFC 9457) with one of these codes.',
    ['Code', 'What it means, and what to do', 'Status, and who resolves it'],
    [
      ...Object.entries(ERROR_TABLE).map(([code, row]): Row => [code, `${row.title} ${row.remedy}`, `${row.status}, ${row.audience}`]),
      ...Object.entries(FIELD_CODES).map(([code, remedy]): Row => [code, remedy, 'a field, in `errors[].code`']),
    ],
  );
  const live = list(
    'Live messages',
    'The messages of the WebSocket of live series; their fields and examples are in <a href="/asyncapi.json">AsyncAPI 3.0</a>.',
    ['Message', 'Meaning'],
    Object.entries(messages).map(([name, { summary }]): Row => [name, summary ?? '']),
  );
  const words = list(
    'Settings',
    'Environment variables for the operator of a service. The values of this service are not shown.',
    ['Setting', 'Default', 'Values', 'Meaning'],
    settings.map(({ name, default: preset, values, about }): Row => [name, preset === '' ? '' : `\`${preset}\``, values, about]),
  );
  const front = shell(files, 'API', ROUTES_PAGE);
  const pages = new Map([
    ...['', ...routes].map((name): [string, Buffer] => [name, front]),
    ['errors', shell(files, 'Errors', errors)],
    ['messages', shell(files, 'Live messages', live)],
    ['settings', shell(files, 'Settings', words)],
  ]);
  return (name) => pages.get(name);
}
