import { ERROR_TABLE, FIELD_CODES } from '../../../core/errorTable.ts';
import type { LiveDocument, Schema, SettingWords } from './ApiDocument.ts';
import { describeSchema } from './describeSchema.ts';
import { escapeHtml, fold, inline, prose, showExample } from './html.ts';

/** A row that can be linked to. */
const row = (id: string, cells: readonly string[]): string => {
  const [name, ...others] = cells;
  return `<tr id="${escapeHtml(id)}"><th scope="row"><code>${escapeHtml(name ?? '')}</code></th>${others.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
};

function table(label: string, columns: readonly string[], rows: readonly string[]): string {
  const head = columns.map((name) => `<th scope="col">${name}</th>`).join('');
  return (
    `<div class="scroll" tabindex="0" role="group" aria-label="${label}"><table><thead><tr>${head}</tr></thead>` +
    `<tbody>${rows.join('')}</tbody></table></div>`
  );
}

/** Every code with its remedy, and the fields of a problem. */
export function renderErrors(problem: Schema | undefined): string {
  const codes = Object.entries(ERROR_TABLE).map(([code, { status, audience, title, remedy }]) =>
    row(code, [code, String(status), `${inline(title)} ${inline(remedy)}`, audience]),
  );
  const fields = Object.entries(FIELD_CODES).map(([code, remedy]) => row(code, [code, inline(remedy)]));
  return [
    '<h1>Errors</h1><p class="lead">Every 4xx and 5xx answer is a problem document (RFC 9457) with one of these codes.</p>',
    describeSchema(problem ?? {}),
    `<h2 id="codes">Codes</h2>${table('Codes', ['Code', 'Status', 'What it means, and what to do', 'Who resolves it'], codes)}`,
    '<h2 id="field-codes">Codes of fields</h2><p>In <code>errors[].code</code> of a problem: one broken rule of one field.</p>',
    table('Codes of fields', ['Code', 'What to do'], fields),
  ].join('');
}

/** The settings of the service for its operator; no values of this service. */
export function renderSettings(settings: readonly SettingWords[]): string {
  const rows = settings.map(({ name, default: preset, values, about }) =>
    row(name, [name, preset === '' ? '' : `<code>${escapeHtml(preset)}</code>`, escapeHtml(values), inline(about)]),
  );
  return [
    '<h1>Settings</h1><p class="lead">Environment variables for the operator of a service. The values of this service are not shown.</p>',
    table('Settings', ['Setting', 'Default', 'Values', 'Meaning'], rows),
  ].join('');
}

/** The messages of live series, in both directions. */
export function renderMessages({ info, channels, operations }: LiveDocument): string {
  const { address, description, messages } = channels.live;
  const listed = (side: 'receive' | 'send'): string =>
    operations[side].messages
      .map(({ $ref }) => $ref.split('/').at(-1) ?? '')
      .map((id) => {
        const { name, payload, examples = [] } = messages[id]!;
        const shown = examples.map(({ payload: example }) => showExample(example)).join('');
        return `<h3 id="${escapeHtml(id)}"><code>${escapeHtml(name)}</code></h3>${prose(payload.description ?? '')}${fold('Fields', describeSchema(payload))}${fold('Example', shown)}`;
      })
      .join('');
  return [
    `<h1>Live messages</h1><p class="lead"><code>${escapeHtml(address)}</code>: ${inline(description)}</p>`,
    prose(info.description),
    `<h2 id="sent">What a client sends</h2>${listed('receive')}<h2 id="received">What the service sends</h2>${listed('send')}`,
  ].join('');
}
