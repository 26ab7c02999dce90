import { countText } from '../answer/describeAnswer.ts';
import { byId, element } from '../dom/element.ts';
import { sureButton } from '../dom/sureButton.ts';
import type { KeyAnswer, Login, Service } from '../service/Service.ts';

const WORKING: readonly KeyAnswer['status'][] = ['active', 'grace'];

const dayOf = (time: string): string => time.slice(0, 10);
const minuteOf = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;

function lifeOf({
  created_at: made,
  last_used_at: used,
  expires_at: ends,
  grace_until: grace,
  status,
  revoked_at: revoked,
}: KeyAnswer): string {
  const end =
    status === 'revoked'
      ? `revoked ${dayOf(revoked ?? '')}`
      : status === 'expired'
        ? `expired ${dayOf(ends ?? '')}`
        : status === 'grace'
          ? `replaced, works until ${minuteOf(grace ?? '')}`
          : ends === null
            ? ''
            : `works until ${dayOf(ends)}`;
  return [`made ${dayOf(made)}`, used === null ? 'never used' : `last used ${minuteOf(used)}`, end]
    .filter((part) => part !== '')
    .join(', ');
}

/** Lines of numbers; no line of refusals where there are none. */
function useOf({
  forecasts_today: today,
  forecasts_30_days: month,
  refused_today: refusedToday,
  refused_30_days: refused,
}: KeyAnswer): string[] {
  const made = `${countText(today, 'forecast')} today, ${month.toLocaleString('en')} in 30 days`;
  return [
    made,
    ...(refused === 0 ? [] : [`${refusedToday.toLocaleString('en')} refused today, ${refused.toLocaleString('en')} in 30 days`]),
  ];
}

export type KeysPaneParts = {
  readonly service: Service;
  /** Runs a call and shows its failure on the pane. */
  readonly run: (act: () => Promise<void>) => Promise<void>;
};

/** Lists, revokes and creates the keys of an account, of the session. */
export class KeysPane {
  readonly #parts: KeysPaneParts;
  readonly #told = byId('keys-told', HTMLElement);
  #login: Login | null = null;
  #keys: readonly KeyAnswer[] = [];

  constructor(parts: KeysPaneParts) {
    this.#parts = parts;
  }

  /** Null where the pane is not open. */
  get login(): Login | null {
    return this.#login;
  }

  /** Rejects with a Failure. */
  async open(login: Login): Promise<void> {
    this.#keys = (await this.#parts.service.listKeys(login)).keys;
    this.#login = login;
    byId('keys-email', HTMLElement).textContent = login.email;
    this.#told.textContent = '';
    this.#draw();
  }

  leave(): void {
    this.#login = null;
    this.#keys = [];
    byId('keys-list', HTMLElement).replaceChildren();
    byId('keys-dead-list', HTMLElement).replaceChildren();
    byId('key-name', HTMLInputElement).value = '';
  }

  /** Null where the pane was left. Rejects with a Failure. */
  async issue(): Promise<string | null> {
    if (this.#login === null) return null;
    const name = byId('key-name', HTMLInputElement).value.trim();
    const { api_key: key } = await this.#parts.service.issueKey(this.#login, name === '' ? {} : { name });
    return key;
  }

  #draw(): void {
    const working = this.#keys.filter(({ status }) => WORKING.includes(status));
    const dead = this.#keys.filter(({ status }) => !WORKING.includes(status));
    const none = element('li', { class: 'hint' }, 'This account has no active key. Create one.');
    byId('keys-list', HTMLElement).replaceChildren(...(working.length === 0 ? [none] : working.map((key) => this.#row(key))));
    byId('keys-dead', HTMLElement).hidden = dead.length === 0;
    byId('keys-dead-title', HTMLElement).textContent = countText(dead.length, 'inactive key');
    byId('keys-dead-list', HTMLElement).replaceChildren(...dead.map((key) => this.#row(key)));
  }

  #row(key: KeyAnswer): HTMLLIElement {
    const row = element(
      'li',
      {},
      element('p', { class: 'key-words' }, element('code', {}, `${key.prefix}…`), key.name === null ? null : element('span', {}, key.name)),
    );
    if (WORKING.includes(key.status)) row.append(this.#revokeButton(key));
    row.append(...useOf(key).map((line) => element('p', { class: 'key-use' }, line)), element('p', { class: 'key-use hint' }, lifeOf(key)));
    return row;
  }

  #revokeButton(key: KeyAnswer): HTMLElement {
    return sureButton(
      {
        ...{ text: 'Revoke', label: `Revoke the key ${key.prefix}…`, sure: 'Revoke it' },
        words: 'Programs that send it are refused from now on. This cannot be undone.',
      },
      () => void this.#parts.run(() => this.#revoke(key)),
    );
  }

  async #revoke({ id, prefix }: KeyAnswer): Promise<void> {
    if (this.#login === null) return;
    const revoked = await this.#parts.service.revokeKey(this.#login, id);
    this.#keys = this.#keys.map((key) => (key.id === id ? revoked : key));
    this.#draw();
    this.#told.textContent = `The key ${prefix}… is revoked.`;
    this.#told.focus();
  }
}
