import type { Operation } from './ApiDocument.ts';
import { escapeHtml, jsonText } from './html.ts';

type Parameter = NonNullable<Operation['parameters']>[number];

/** A longer curl command is split before its headers, for phones. */
const LINE_CHARACTERS = 60;

/** Routes whose body is filled with the ticks of GET /sample: whole, or as the only item. */
const WITH_SAMPLE: Readonly<Record<string, 'body' | 'items'>> = { tickForecast: 'body', tickBatch: 'items' };

const needs = ({ security }: Operation, name: string): boolean => security?.some((each) => name in each) === true;

/** The call as a shell command. The script of the page replaces URL and body by what its form says; key and password stay variables. */
function curlOf(method: string, path: string, operation: Operation): string {
  const { parameters = [], requestBody } = operation;
  const filled = parameters.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
  const words = ['curl', method === 'get' ? '' : `-X ${method.toUpperCase()}`];
  if (needs(operation, 'ApiKey')) words.push(`-H "Api-Key: $TICKMARK_KEY"`);
  if (needs(operation, 'Password')) words.push(`-u "$EMAIL:$PASSWORD"`);
  if (requestBody !== undefined) words.push(`-H 'Content-Type: application/json' --data-binary @body.json`);
  const line = [...words, `"$URL${filled}"`].filter(Boolean).join(' ');
  return line.length <= LINE_CHARACTERS ? line : line.replace(/ (?=-H |--data|"\$URL)/g, ' \\\n  ');
}

function fieldOf({ name, in: place, required, schema, example }: Parameter): string {
  const id = `in-${escapeHtml(name)}`;
  const common = `id="${id}" name="${escapeHtml(name)}" data-in="${escapeHtml(place)}"${required ? ' required' : ''}`;
  const optional = required ? '' : ' <span class="soft">optional</span>';
  const shown = example === undefined ? '' : escapeHtml(String(example));
  const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const values = choices?.map((value) => `<option>${escapeHtml(String(value))}</option>`).join('');
  const field =
    values === undefined
      ? `<input type="text" ${common} ${required ? 'value' : 'placeholder'}="${shown}" autocomplete="off" spellcheck="false">`
      : `<select ${common}><option value="">not sent</option>${values}</select>`;
  return `<div class="field"><label for="${id}"><code>${escapeHtml(name)}</code>${optional}</label>${field}</div>`;
}

const KEY_FIELDS =
  '<div class="field"><label for="try-key">API key</label><input type="password" id="try-key" autocomplete="off" spellcheck="false" aria-describedby="try-key-hint">' +
  '<p class="hint" id="try-key-hint">Sent in a header to this service only, never in an address.</p></div>' +
  '<label class="check"><input type="checkbox" id="try-keep">Keep it in this tab until the tab is closed</label>';

const PASSWORD_FIELDS =
  '<div class="field"><label for="try-email">E-mail</label><input type="email" id="try-email" autocomplete="username"></div>' +
  '<div class="field"><label for="try-password">Password</label><input type="password" id="try-password" autocomplete="current-password"></div>';

/** The form that sends the request from the page, hidden until its script runs, and the call for a shell. */
export function renderTry(method: string, path: string, operation: Operation): string {
  const { parameters = [], requestBody, operationId } = operation;
  const { example, examples = {} } = requestBody?.content['application/json'] ?? {};
  const shown = example ?? Object.values(examples)[0]?.value;
  const sample = WITH_SAMPLE[operationId];
  const body =
    requestBody === undefined
      ? ''
      : `<div class="field"><label for="try-body">Body, JSON</label><textarea id="try-body" rows="8" spellcheck="false"${sample === undefined ? '' : ` data-sample="${sample}"`}>${escapeHtml(jsonText(shown ?? {}))}</textarea></div>`;
  const optional = parameters.filter(({ required }) => !required).map(fieldOf);
  return [
    `<section class="try card" aria-labelledby="try-title"><h2 id="try-title">Try it</h2>`,
    `<form id="try" method="post" data-method="${escapeHtml(method.toUpperCase())}" data-path="${escapeHtml(path)}" hidden novalidate>`,
    ...parameters.filter(({ required }) => required).map(fieldOf),
    needs(operation, 'ApiKey') ? KEY_FIELDS : '',
    needs(operation, 'Password') ? PASSWORD_FIELDS : '',
    optional.length === 0
      ? ''
      : `<details><summary>Optional parameters</summary><div class="fields-in">${optional.join('')}</div></details>`,
    body,
    '<p class="row"><button type="submit" class="primary" id="try-send">Send</button><button type="button" id="try-stop" hidden>Stop</button></p>',
    '<p class="fault" id="try-fault" role="alert" hidden></p></form>',
    '<div id="try-answer" hidden><h3 id="try-status" role="status" tabindex="-1"></h3><p id="try-error" hidden></p>',
    '<details><summary>Headers</summary><pre id="try-headers" tabindex="0"></pre></details>',
    '<pre id="try-text" tabindex="0" aria-label="Body of the answer"></pre><p class="hint" id="try-cut" hidden></p></div>',
    `<div class="walk-head"><h3 id="curl-title">From a shell</h3><button type="button" class="small" id="curl-copy" hidden>Copy</button></div>`,
    `<pre id="curl" tabindex="0" aria-labelledby="curl-title">${escapeHtml(curlOf(method, path, operation))}</pre></section>`,
  ].join('');
}
