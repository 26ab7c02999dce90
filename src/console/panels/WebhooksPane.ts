import { button, byId, copyText, element, optionsOf, sayOnButton, sureButton } from '../dom/element.ts';
import type { Service } from '../service/clientService.ts';
import type { FailedAlert, Webhook } from '../service/Service.ts';
import { minuteText } from '../ticks/timeText.ts';

const EVENTS: Readonly<Record<string, string>> = {
  'forecast.marked': 'marks',
  'forecast.settled': 'outcomes of marks',
  'record.worse': 'a record worse than the baseline',
};

/** Forms of an alert: what it is for, and its address. */
const FORMATS = {
  json: ['Your program (signed JSON)', 'https, and a public address unless the operator allows others.'],
  telegram: ['Telegram', 'https://api.telegram.org/bot and the token of your bot.'],
  slack: ['Slack', 'Of an incoming webhook.'],
  discord: ['Discord', 'Of a webhook of the channel.'],
  ntfy: ['ntfy', 'Of the topic, such as https://ntfy.sh/my-topic.'],
} as const;

/** Lists, adds, changes, tests and removes the targets of alerts of the account of the session. A secret is forgotten when the pane is left. Calls reject with a Failure. */
export class WebhooksPane {
  readonly #service: Service;
  readonly #run: (act: () => Promise<void>) => Promise<void>;
  readonly #told = byId('hooks-told', HTMLElement);
  readonly #url = byId('hook-url', HTMLInputElement);
  readonly #format = byId('hook-format', HTMLSelectElement);
  readonly #chat = byId('hook-chat', HTMLInputElement);
  readonly #cancel = byId('hook-cancel', HTMLButtonElement);
  #webhooks: readonly Webhook[] = [];
  /** The target that the form changes; undefined: it adds one. */
  #changed: Webhook | undefined;

  /** `run`: runs a call and shows its failure on the pane. */
  constructor(service: Service, run: (act: () => Promise<void>) => Promise<void>) {
    this.#service = service;
    this.#run = run;
    this.#format.append(...optionsOf(Object.entries(FORMATS).map(([name, [title]]) => [name, title])));
    this.#format.addEventListener('change', () => this.#drawForm());
    this.#cancel.addEventListener('click', () => {
      this.#edit(undefined);
      this.#url.focus();
    });
    const copy = byId('hook-copy', HTMLButtonElement);
    const copied = async (): Promise<void> => {
      const isDone = await copyText(byId('hook-secret', HTMLElement).textContent);
      sayOnButton(copy, isDone ? 'Copied' : 'Select and copy it');
    };
    copy.addEventListener('click', () => void copied());
  }

  async open(email: string): Promise<void> {
    this.#webhooks = (await this.#service.listWebhooks()).webhooks;
    byId('hooks-email', HTMLElement).textContent = email;
    this.#told.textContent = '';
    this.#edit(undefined);
    this.#draw();
  }

  leave(): void {
    this.#webhooks = [];
    this.#edit(undefined);
    byId('hooks-list', HTMLElement).replaceChildren();
  }

  async add(): Promise<void> {
    const events = [...byId('hook-events', HTMLElement).querySelectorAll<HTMLInputElement>('input:checked')].map(({ value }) => value);
    const format = this.#wanted;
    const body = {
      ...{ url: this.#url.value.trim(), events, format },
      ...(format === 'telegram' && { chat_id: this.#chat.value.trim() }),
    };
    const before = this.#changed;
    if (before !== undefined) {
      const webhook = await this.#service.changeWebhook(before.id, body);
      this.#webhooks = this.#webhooks.map((one) => (one.id === webhook.id ? webhook : one));
      this.#edit(undefined);
      // Other forms are not signed: no one has seen the secret.
      const isNewlySigned = format === 'json' && (before.format ?? 'json') !== 'json';
      const words = isNewlySigned
        ? 'For a secret that checks its signatures, remove it and add it again.'
        : 'Its secret is the same. Test it.';
      return this.#say(`The target was changed. ${words}`);
    }
    const { secret, message: _, ...webhook } = await this.#service.addWebhook(body);
    this.#webhooks = [...this.#webhooks, webhook];
    this.#edit(undefined);
    this.#say(`The target was added. ${format === 'json' ? 'Save its secret now, then test it.' : 'Test it.'}`);
    // Only the signed form needs it.
    this.#showSecret(format === 'json' ? secret : null);
  }

  get #wanted(): keyof typeof FORMATS {
    return this.#format.value as keyof typeof FORMATS;
  }

  /** Fills the form with a target that it changes; undefined: with a new one. */
  #edit(webhook: Webhook | undefined): void {
    this.#changed = webhook;
    this.#url.value = webhook?.url ?? '';
    this.#chat.value = webhook?.chat_id ?? '';
    this.#format.value = webhook?.format ?? 'json';
    for (const box of byId('hook-events', HTMLElement).querySelectorAll('input')) box.checked = webhook?.events.includes(box.value) ?? true;
    this.#showSecret(null);
    this.#drawForm();
  }

  #drawForm(): void {
    this.#chat.closest<HTMLElement>('.field')!.hidden = this.#wanted !== 'telegram';
    byId('hook-url-hint', HTMLElement).textContent = FORMATS[this.#wanted][1];
    const isNew = this.#changed === undefined;
    this.#url.closest('.field')!.querySelector('label')!.textContent = isNew ? 'URL of a new target' : 'URL of the target';
    this.#url.form!.querySelector('[type=submit]')!.textContent = isNew ? 'Add' : 'Save the change';
    this.#cancel.hidden = isNew;
  }

  #showSecret(secret: string | null): void {
    byId('hook-issued', HTMLElement).hidden = secret === null;
    byId('hook-secret', HTMLElement).textContent = secret ?? '';
  }

  /** What was done with the list. */
  #say(text: string): void {
    this.#draw();
    this.#told.textContent = text;
    this.#told.focus();
  }

  #draw(): void {
    const none = element('li', { class: 'hint' }, 'No target yet. Add an https URL of a program of yours.');
    byId('hooks-list', HTMLElement).replaceChildren(
      ...(this.#webhooks.length === 0 ? [none] : this.#webhooks.map((hook) => this.#row(hook))),
    );
  }

  #row(webhook: Webhook): HTMLLIElement {
    const { id, url, events, created_at: added, format = 'json' } = webhook;
    const about = `${format === 'json' ? '' : `${FORMATS[format][0]}: `}${events.map((event) => EVENTS[event] ?? event).join(', ')}; added ${added.slice(0, 10)}`;
    const told = element('p', { class: 'hook-told small-words', role: 'status' });
    /** A button that waits for its call. */
    const calling = (text: string, act: () => Promise<void>): HTMLButtonElement => {
      const once = async (): Promise<void> => {
        made.disabled = true;
        await this.#run(act);
        made.disabled = false;
      };
      const made = button(text, () => void once(), { 'aria-label': `${text}: ${url}` });
      return made;
    };
    const test = calling('Test', async () => {
      told.textContent = 'Sending a test alert…';
      const { delivered, status, error } = await this.#service.testWebhook(id).catch((failure: unknown) => {
        told.textContent = '';
        throw failure;
      });
      told.dataset['kind'] = delivered ? 'good' : 'bad';
      told.textContent = delivered ? `Delivered: the target answered ${status}.` : `Not delivered: ${error ?? `status ${status}`}.`;
    });
    const edit = (): void => {
      this.#edit(webhook);
      this.#url.focus();
    };
    const change = button('Change', edit, { 'aria-label': `Change: ${url}` });
    const failed = calling('Failed alerts', async () => {
      const list = (await this.#service.failedAlerts(id)).failed;
      told.removeAttribute('data-kind');
      told.replaceChildren(list.length === 0 ? 'No alert was given up.' : '', ...list.map(failedLine));
    });
    const remove = async (): Promise<void> => {
      await this.#service.removeWebhook(id);
      this.#webhooks = this.#webhooks.filter((other) => other.id !== id);
      this.#showSecret(null);
      // What is typed for another target stays.
      if (this.#changed?.id === id) this.#edit(undefined);
      this.#say(`${url} gets no more alerts.`);
    };
    const words = 'Its undelivered alerts are dropped. This cannot be undone.';
    const removal = sureButton({ text: 'Remove', label: `Remove ${url}`, words, sure: 'Remove it' }, () => void this.#run(remove));
    return element(
      'li',
      {},
      element('p', { class: 'key-words' }, element('code', {}, url), element('span', { class: 'hint' }, about)),
      element('div', { class: 'row' }, test, change, failed, removal),
      told,
    );
  }
}

function failedLine({ type, failed_at: at, attempts, error }: FailedAlert): HTMLElement {
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  return element('span', { class: 'failed' }, `${minuteText(at)}: ${type}, ${tries}, ${error ?? 'no reason'}`);
}
