import { createHash } from 'node:crypto';
import type { ApiDocument, Media, Operation, Schema } from './ApiDocument.ts';
import { DOCS_STYLE } from './docsStyle.ts';

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

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
}

/** Formats a line of our descriptions: text with `code` in it. */
function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** Formats a description: paragraphs, and lists whose lines start with `- `. */
function prose(text: string): string {
  return text
    .split(/\n\n/)
    .map((block) => {
      const lines = block.split('\n');
      if (!lines.every((line) => line.startsWith('- '))) return `<p>${inline(block)}</p>`;
      return `<ul>${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join('')}</ul>`;
    })
    .join('');
}

/** Longer lists are shortened to their first items and the last one. */
const SHOWN = 6;
const HEAD = 3;

/** Shortens a value for display: `…` replaces the omitted part. */
function cut(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = value.length > SHOWN ? [...(value.slice(0, HEAD) as unknown[]), '…', value.at(-1)] : value;
    return items.map(cut);
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each)]));
  return value;
}

function showExample(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(cut(value), null, 2);
  // A list of plain values is printed on one line.
  const flat = text.replace(/\[\n\s+((?:[^[\]{}]+))\n\s+\]/g, (_, inner: string) => `[${inner.replace(/\n\s+/g, ' ')}]`);
  return `<pre tabindex="0"><code>${escapeHtml(flat)}</code></pre>`;
}

/** The type of a value in a few words: `string`, `1 or null`, `200 to 3001 × string`. */
function typeWords(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum.length > 6 ? 'one of a list' : schema.enum.map((each) => JSON.stringify(each)).join(' or ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeWords).join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map(typeWords).filter(Boolean).join(', ');
  if (schema.type === 'array') return `${range(schema.minItems, schema.maxItems, 'list of')} ${typeWords(schema.items ?? {})}`;
  if (schema.type === 'number' || schema.type === 'integer') return numberWords(schema);
  return schema.type ?? 'any value';
}

function range(from: number | undefined, to: number | undefined, otherwise: string): string {
  if (from === undefined && to === undefined) return otherwise;
  if (from === to) return `${from} ×`;
  return from === undefined ? `at most ${to} ×` : to === undefined ? `at least ${from} ×` : `${from} to ${to} ×`;
}

function numberWords({ type = '', minimum, exclusiveMinimum, maximum }: Schema): string {
  const low = minimum !== undefined ? `from ${minimum}` : exclusiveMinimum !== undefined ? `above ${exclusiveMinimum}` : '';
  return [type, low, maximum === undefined ? '' : `to ${maximum}`].filter(Boolean).join(' ');
}

/** The fields of an object as a definition list, nested ones inside; empty for a value without fields. */
function describeSchema(schema: Schema): string {
  const inside = (schema.anyOf ?? schema.allOf ?? []).map(describeSchema).join('');
  if (schema.type === 'array') return describeSchema(schema.items ?? {});
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => describeField(name, field, schema.required ?? []));
  const keyed = Object.values(schema.patternProperties ?? {}).map((field) => describeField('each key', field, ['each key']));
  const all = [...fields, ...keyed].join('');
  return all === '' ? inside : `<dl>${all}</dl>${inside}`;
}

function describeField(name: string, field: Schema, required: readonly string[]): string {
  const optional = required.includes(name) ? '' : ' <i>optional</i>';
  const about = field.description === undefined ? '' : `<p>${inline(field.description)}</p>`;
  return `<dt><code>${escapeHtml(name)}</code> <span>${escapeHtml(typeWords(field))}</span>${optional}</dt><dd>${about}${describeSchema(field)}</dd>`;
}
