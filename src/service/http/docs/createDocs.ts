import { ERROR_TABLE, FIELD_CODES } from '../../../core/errorTable.ts';
import type { ApiDocument, LiveDocument, Operation, SettingWords } from './ApiDocument.ts';
import { escapeHtml, inline } from './html.ts';
import { renderErrors, renderMessages, renderSettings } from './renderLists.ts';
import { renderRoute, routeName } from './renderRoute.ts';
import { renderShell, type DocsFiles } from './renderShell.ts';

export type DocsParts = {
  readonly api: ApiDocument;
  readonly live: LiveDocument;
  readonly settings: readonly SettingWords[];
  /** Script, style and icon of the build; without it, the pages are plain text. */
  readonly files: DocsFiles | undefined;
};

type Route = { readonly method: string; readonly path: string; readonly operation: Operation };
type Page = { readonly title: string; readonly render: () => string };

/** An entry of the front page. The search reads its link and its text, and the words that are not shown. */
const entry = (target: string, name: string, about: string, words = ''): string =>
  `<li data-find="${escapeHtml(words)}"><a href="/docs/${escapeHtml(target)}">${name}</a> <span class="soft">${inline(about)}</span></li>`;

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;

function front({ api, live, settings }: DocsParts, routes: readonly Route[]): string {
  const messages = Object.entries(live.channels.live.messages);
  const list = (id: string, title: string, items: readonly string[]): string =>
    `<h2 id="${id}">${title}</h2><ul class="entries">${items.join('')}</ul>`;
  return [
    `<h1>${escapeHtml(api.info.title)} API</h1><p class="lead">Version ${escapeHtml(api.info.version)}. Each route has a page, where you can send it. `,
    'For programs: <a href="/openapi.json">OpenAPI 3.1</a> and <a href="/asyncapi.json">AsyncAPI 3.0</a>.</p>',
    list(
      'routes',
      'Routes',
      routes.map(({ method, path, operation: { operationId, summary, parameters = [] } }) =>
        entry(operationId, routeName(method, path), summary, parameters.map(({ name }) => name).join(' ')),
      ),
    ),
    list(
      'live-messages',
      'Live messages',
      messages.map(([id, { name, payload }]) => entry(`messages#${id}`, code(name), payload.description ?? '')),
    ),
    list(
      'error-codes',
      'Errors',
      Object.entries(ERROR_TABLE).map(([id, { title, status }]) => entry(`errors#${id}`, code(id), title, String(status))),
    ),
    list(
      'field-codes',
      'Codes of fields',
      Object.entries(FIELD_CODES).map(([id, remedy]) => entry(`errors#${id}`, code(id), remedy)),
    ),
    list(
      'setting-names',
      'Settings',
      settings.map(({ name, about }) => entry(`settings#${name}`, code(name), about)),
    ),
  ].join('');
}

/** The pages of the API by name, '' for the front page; undefined for other names. A page is rendered when it is first asked for. */
export function createDocs(parts: DocsParts): (name: string) => Buffer | undefined {
  const { api, live, settings, files } = parts;
  const routes = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ path, method, operation })),
  );
  const lists: readonly [string, Page][] = [
    ['messages', { title: 'Live messages', render: () => renderMessages(live) }],
    ['errors', { title: 'Errors', render: () => renderErrors(api.components.schemas['Problem']) }],
    ['settings', { title: 'Settings', render: () => renderSettings(settings) }],
  ];
  const pages = new Map<string, Page>([
    ['', { title: 'API', render: () => front(parts, routes) }],
    ...routes.map(({ method, path, operation }): [string, Page] => [
      operation.operationId,
      { title: `${method.toUpperCase()} ${path}`, render: () => renderRoute(method, path, operation) },
    ]),
    ...lists,
  ]);
  const links = [
    ...routes.map(({ method, path, operation }) => ({ name: operation.operationId, text: routeName(method, path) })),
    ...lists.map(([name, { title }]) => ({ name, text: title })),
  ];
  const made = new Map<string, Buffer>();
  return (name) => {
    const page = pages.get(name);
    if (page === undefined) return undefined;
    const kept = made.get(name) ?? Buffer.from(renderShell({ name, title: page.title, main: page.render(), links, files }));
    made.set(name, kept);
    return kept;
  };
}
