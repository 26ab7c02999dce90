import { ERROR_TABLE } from '../../../core/errorTable.ts';
import type { Media, Operation } from './ApiDocument.ts';
import { describeSchema, typeWords } from './describeSchema.ts';
import { renderTry } from './renderTry.ts';
import { escapeHtml, fold, inline, prose, showExample } from './html.ts';

/** How a caller authenticates. */
const SECURITY: Readonly<Record<string, string>> = {
  ApiKey: 'Needs the header <code>Api-Key</code>.',
  Password: 'Needs HTTP Basic with the e-mail and the password of the account.',
};

export const routeName = (method: string, path: string): string =>
  `<span class="method ${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</span> <code>${escapeHtml(path)}</code>`;

function parametersOf({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: place, required, description = '', schema, example }) =>
      `<dt><code>${escapeHtml(name)}</code> <span>${escapeHtml(place)}, ${escapeHtml(typeWords(schema))}</span>${required ? '' : ' <i>optional</i>'}</dt>` +
      `<dd><p>${inline(description)}${example === undefined ? '' : ` For example <code>${escapeHtml(String(example))}</code>.`}</p></dd>`,
  );
  return `<h2 id="parameters">Parameters</h2><dl class="fields">${rows.join('')}</dl>`;
}

function bodyOf({ requestBody }: Operation): string {
  const media = requestBody?.content['application/json'];
  if (media === undefined) return '';
  return `<h2 id="body">Body</h2>${describeSchema(media.schema)}${fold('Example', examplesOf(media))}`;
}

function examplesOf({ example, examples = {} }: Media): string {
  const named = Object.entries(examples).map(([name, { value }]) => `<p><code>${escapeHtml(name)}</code></p>${showExample(value)}`);
  return [...(example === undefined ? [] : [showExample(example)]), ...named].join('');
}

const isError = (status: string): boolean => Number(status) >= 400;

function answersOf({ responses }: Operation): string {
  const parts = Object.entries(responses)
    .filter(([status]) => !isError(status))
    .map(([status, { description, content = {}, headers }]) => {
      const [type, media] = Object.entries(content)[0] ?? [];
      const fields = Object.keys(headers).map((name) => `<code>${escapeHtml(name)}</code>`);
      const about = `<p class="soft">${type === undefined ? 'No body' : escapeHtml(type)}. Headers: ${fields.join(', ')}.</p>`;
      const inner = media === undefined ? '' : fold('Fields', describeSchema(media.schema)) + fold('Example', examplesOf(media));
      return `<h3>${escapeHtml(status)}</h3>${prose(description)}${about}${inner}`;
    });
  return `<h2 id="answers">Answers</h2>${parts.join('')}`;
}

/** Every code that the route can answer with, and what to do then. */
function errorsOf({ responses }: Operation): string {
  const rows = Object.entries(responses)
    .filter(([status]) => isError(status))
    .flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples).map((code) => ({ status, code }))),
    )
    .map(({ status, code }) => {
      const { title = '', remedy = '' } = ERROR_TABLE[code as keyof typeof ERROR_TABLE] ?? {};
      const link = `<a href="/docs/errors#${escapeHtml(code)}"><code>${escapeHtml(code)}</code></a>`;
      return `<tr><td>${escapeHtml(status)}</td><td>${link}</td><td>${inline(`${title} ${remedy}`)}</td></tr>`;
    });
  if (rows.length === 0) return '';
  return (
    '<h2 id="errors">Errors</h2><div class="scroll" tabindex="0" role="group" aria-labelledby="errors">' +
    `<table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">What it means, and what to do</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
  );
}

/** The page of one route. */
export function renderRoute(method: string, path: string, operation: Operation): string {
  const security = (operation.security ?? []).flatMap((each) => Object.keys(each)).map((name) => `<p>${SECURITY[name] ?? ''}</p>`);
  return [
    `<div class="route"><div class="intro"><h1>${routeName(method, path)}</h1><p class="lead">${inline(operation.summary)}.</p>`,
    operation.description === undefined ? '' : prose(operation.description),
    ...security,
    `</div>${renderTry(method, path, operation)}<div class="text">`,
    parametersOf(operation),
    bodyOf(operation),
    answersOf(operation),
    errorsOf(operation),
    '</div></div>',
  ].join('');
}
