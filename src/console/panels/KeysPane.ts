import { countText } from '../answer/describeAnswer.ts';
import { byId, element, sureButton } from '../dom/element.ts';
import type { Service } from '../service/clientService.ts';
import type { KeyAnswer } from '../service/Service.ts';
import { minuteText } from '../ticks/timeText.ts';

const isWorking = ({ status }: KeyAnswer): boolean => status === 'active' || status === 'grace';
const dayOf = (time: string | null): string => (time ?? '').slice(0, 10);

function lifeOf(key: KeyAnswer): string {
  const ends: Readonly<Record<KeyAnswer['status'], string>> = {
    revoked: `revoked ${dayOf(key.revoked_at)}`,
    expired: `expired ${dayOf(key.expires_at)}`,
    grace: `replaced, works until ${minuteText(key.grace_until ?? '')}`,
    active: key.expires_at === null ? '' : `works until ${dayOf(key.expires_at)}`,
  };
  const used = key.last_used_at === null ? 'never used' : `last used ${minuteText(key.last_used_at)}`;
  return [`made ${dayOf(key.created_at)}`, used, ends[key.status]].filter((part) => part !== '').join(', ');
}

/** Lines of numbers; no line of refusals where there are none. */
function useOf(key: KeyAnswer): string[] {
  const refused = `${key.refused_today.toLocaleString('en')} refused today, ${key.refused_30_days.toLocaleString('en')} in 30 days`;
  return [
    `${countText(key.forecasts_today, 'forecast')} today, ${key.forecasts_30_days.toLocaleString('en')} in 30 days`,
    ...(key.refused_30_days === 0 ? [] : [refused]),
  ];
}

/** Lists, revokes and creates the keys of the account of the session. Calls reject with a Failure. */
export class KeysPane {
  readonly #service: Service;
  readonly #run: (act: () => Promise<void>) => Promise<void>;
  readonly #told = byId('keys-told', HTMLElement);
  #keys: readonly KeyAnswer[] = [];

  /** `run`: runs a call and shows its failure on the pane. */
  constructor(service: Service, run: (act: () => Promise<void>) => Promise<void>) {
    this.#service = service;
    this.#run = run;
  }

  async open(email: string): Promise<void> {
    this.#keys = (await this.#service.listKeys()).keys;
    byId('keys-email', HTMLElement).textContent = email;
    this.#told.textContent = '';
    this.#draw();
  }

  leave(): void {
    for (const id of ['keys-list', 'keys-dead-list']) byId(id, HTMLElement).replaceChildren();
    byId('key-name', HTMLInputElement).value = '';
  }

  async issue(): Promise<string> {
    const name = byId('key-name', HTMLInputElement).value.trim();
    return (await this.#service.issueKey(name === '' ? {} : { name })).api_key;
  }

  #draw(): void {
    const dead = this.#keys.filter((key) => !isWorking(key));
    const working = this.#keys.filter(isWorking).map((key) => this.#row(key));
    const none = element('li', { class: 'hint' }, 'This account has no active key. Create one.');
    byId('keys-list', HTMLElement).replaceChildren(...(working.length === 0 ? [none] : working));
    byId('keys-dead', HTMLElement).hidden = dead.length === 0;
    byId('keys-dead-title', HTMLElement).textContent = countText(dead.length, 'inactive key');
    byId('keys-dead-list', HTMLElement).replaceChildren(...dead.map((key) => this.#row(key)));
  }

  #row(key: KeyAnswer): HTMLLIElement {
    const { prefix, name } = key;
    const words = 'Programs that send it are refused from now on. This cannot be undone.';
    const revoke = { text: 'Revoke', label: `Revoke the key ${prefix}…`, sure: 'Revoke it', words };
    return element(
      'li',
      {},
      element('p', { class: 'key-words' }, element('code', {}, `${prefix}…`), name === null ? null : element('span', {}, name)),
      isWorking(key) ? sureButton(revoke, () => void this.#run(() => this.#revoke(key))) : null,
      ...useOf(key).map((line) => element('p', { class: 'small-words' }, line)),
      element('p', { class: 'hint small-words' }, lifeOf(key)),
    );
  }

  async #revoke({ id, prefix }: KeyAnswer): Promise<void> {
    const revoked = await this.#service.revokeKey(id);
    this.#keys = this.#keys.map((key) => (key.id === id ? revoked : key));
    this.#draw();
    this.#told.textContent = `The key ${prefix}… is revoked.`;
    this.#told.focus();
  }
}
