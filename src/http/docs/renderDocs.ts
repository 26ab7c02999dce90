import { createHash } from 'node:crypto';
import type { ApiDocument, Media, Operation, Schema } from './ApiDocument.ts';
import { describeSchema, typeWords } from './describeSchema.ts';
import { DOCS_STYLE } from './docsStyle.ts';
import { escapeHtml, inline, prose } from './html.ts';
import { showExample } from './showExample.ts';

/** How a caller authenticates. */
const SECURITY: Readonly<Record<string, string>> = {
  ApiKey: 'Needs the header <code>Api-Key</code>.',
  Password: 'Needs HTTP Basic with the e-mail and the password of the account.',
};

/** A longer curl command is split before its headers, for phones. */
const LINE_CHARACTERS = 60;

function heading(method: string, path: string): string {
  return `<span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code>`;
}

function fold(title: string, inner: string): string {
  return inner === '' ? '' : `<details><summary>${title}</summary>${inner}</details>`;
}

/** The call as a shell command. */
function curlOf(method: string, path: string, { security, parameters = [], requestBody }: Operation): string {
  const filled = parameters.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
  const words = ['curl', method === 'get' ? '' : `-X ${method.toUpperCase()}`];
  if (security?.some((each) => 'ApiKey' in each) === true) words.push(`-H "Api-Key: $KEY"`);
  if (security?.some((each) => 'Password' in each) === true) words.push(`-u "$EMAIL:$PASSWORD"`);
  if (requestBody !== undefined) words.push(`-H 'Content-Type: application/json' --data-binary @body.json`);
  const line = [...words, `"$URL${filled}"`].filter(Boolean).join(' ');
  return line.length <= LINE_CHARACTERS ? line : line.replace(/ (?=-H |--data|"\$URL)/g, ' \\\n  ');
}

function parametersOf({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: place, required, description = '', schema, example }) =>
      `<dt><code>${escapeHtml(name)}</code> <span>${place}, ${escapeHtml(typeWords(schema))}</span>${required ? '' : ' <i>optional</i>'}</dt>` +
      `<dd><p>${inline(description)}${example === undefined ? '' : ` For example <code>${escapeHtml(String(example))}</code>.`}</p></dd>`,
  );
  return `<h3>Parameters</h3><dl>${rows.join('')}</dl>`;
}

function bodyOf({ requestBody }: Operation): string {
  const media = requestBody?.content['application/json'];
  if (media === undefined) return '';
  return `<h3>Body</h3>${describeSchema(media.schema)}${fold('Example', showExample(media.example))}`;
}

function examplesOf({ example, examples = {} }: Media): string {
  const named = Object.entries(examples).map(([name, { value }]) => `<p><code>${escapeHtml(name)}</code></p>${showExample(value)}`);
  return [...(example === undefined ? [] : [showExample(example)]), ...named].join('');
}

function answersOf({ responses }: Operation): string {
  const parts = Object.entries(responses).map(([status, { description, content = {}, headers }]) => {
    const [type, media] = Object.entries(content)[0] ?? [];
    const isGood = Number(status) < 400;
    const fields = Object.keys(headers).map((name) => `<code>${escapeHtml(name)}</code>`);
    const about = `${prose(description)}<p class="soft">${type === undefined ? 'No body' : escapeHtml(type)}. Headers: ${fields.join(', ')}.</p>`;
    const schema = isGood && media !== undefined ? describeSchema(media.schema) : '';
    const examples = media === undefined ? '' : examplesOf(media);
    if (!isGood) return fold(`<strong>${status}</strong>`, about + examples);
    return `<p><strong>${status}</strong></p>${about}${fold('Fields', schema)}${fold('Example', examples)}`;
  });
  return `<h3>Answers</h3>${parts.join('')}`;
}

function article(method: string, path: string, operation: Operation): string {
  const security = (operation.security ?? []).flatMap((each) => Object.keys(each)).map((name) => `<p>${SECURITY[name] ?? ''}</p>`);
  return [
    `<article id="${escapeHtml(operation.operationId)}"><h2>${heading(method, path)}</h2><p>${inline(operation.summary)}.</p>`,
    operation.description === undefined ? '' : prose(operation.description),
    ...security,
    showExample(curlOf(method, path, operation)),
    parametersOf(operation),
    bodyOf(operation),
    answersOf(operation),
    '</article>',
  ].join('');
}

function problemArticle(schema: Schema | undefined): string {
  return `<article id="problems"><h2>Problems</h2><p>Every 4xx and 5xx answer, RFC 9457.</p>${describeSchema(schema ?? {})}</article>`;
}

/** Renders the OpenAPI document as one HTML page, with a Content-Security-Policy that allows only its own style. */
export function renderDocs({ info, paths, components }: ApiDocument): { readonly html: Buffer; readonly policy: string } {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const links = operations.map(
    ({ path, method, operation }) =>
      `<li><a href="#${escapeHtml(operation.operationId)}">${heading(method, path)}</a><br><span class="soft">${inline(operation.summary)}</span></li>`,
  );
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escapeHtml(info.title)} API</title><style>${DOCS_STYLE}</style></head><body>`,
    '<a class="skip" href="#routes">To the routes</a>',
    `<header><h1>${escapeHtml(info.title)} API</h1><p class="soft">Version ${escapeHtml(info.version)}. For programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p></header>`,
    `<main><nav aria-label="Routes"><ul>${links.join('')}<li><a href="#problems">Problems</a></li></ul></nav><div id="routes">`,
    ...operations.map(({ path, method, operation }) => article(method, path, operation)),
    `</div>${problemArticle(components.schemas['Problem'])}<article id="about"><h2>Codes of fields</h2>${prose(info.description)}</article></main></body></html>`,
  ].join('\n');
  const digest = createHash('sha256').update(DOCS_STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html: Buffer.from(html), policy };
}
