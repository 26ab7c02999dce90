import { byId, copyText, element, sayOnButton } from '../dom/element.ts';
import { sureButton } from '../dom/sureButton.ts';
import type { FailedAlert, Login, Service, Webhook } from '../service/Service.ts';

const minuteOf = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;

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

export type WebhooksPaneParts = {
  readonly service: Service;
  /** Runs a call and shows its failure on the pane. */
  readonly run: (act: () => Promise<void>) => Promise<void>;
};

/** Lists, adds, changes, tests and removes the targets of alerts, of the session. A secret is forgotten when the pane is left. */
export class WebhooksPane {
  readonly #parts: WebhooksPaneParts;
  readonly #told = byId('hooks-told', HTMLElement);
  readonly #url = byId('hook-url', HTMLInputElement);
  readonly #format = element(
    'select',
    { id: 'hook-format' },
    ...Object.entries(FORMATS).map(([name, [title]]) => element('option', { value: name }, title)),
  );
  readonly #chat = element('input', {
    type: 'text',
    id: 'hook-chat',
    name: 'chat_id',
    autocomplete: 'off',
    'aria-describedby': 'hook-chat-fault',
  });
  #login: Login | null = null;
  #webhooks: readonly Webhook[] = [];
  /** The target that the form changes; undefined: it adds one. */
  #changed: Webhook | undefined;

  constructor(parts: WebhooksPaneParts) {
    this.#parts = parts;
    const chat = element(
      'div',
      { class: 'field', hidden: true },
      element('label', { for: 'hook-chat' }, 'Id of the chat'),
      this.#chat,
      element('p', { class: 'fault', id: 'hook-chat-fault', hidden: true }),
    );
    const format = element('div', { class: 'field' }, element('label', { for: 'hook-format' }, 'Sent to'), this.#format);
    this.#url.closest('.field')!.before(format);
    byId('hook-events', HTMLElement).before(chat);
    this.#format.addEventListener('change', () => this.#drawForm());
    const copy = byId('hook-copy', HTMLButtonElement);
    copy.addEventListener(
      'click',
      () =>
        void copyText(byId('hook-secret', HTMLElement).textContent ?? '').then((done) =>
          sayOnButton(copy, done ? 'Copied' : 'Select and copy it'),
        ),
    );
  }

  /** Rejects with a Failure. */
  async open(login: Login): Promise<void> {
    this.#webhooks = (await this.#parts.service.listWebhooks(login)).webhooks;
    this.#login = login;
    byId('hooks-email', HTMLElement).textContent = login.email;
    this.#told.textContent = '';
    this.#edit(undefined);
    this.#draw();
  }

  leave(): void {
    this.#login = null;
    this.#webhooks = [];
    this.#edit(undefined);
    byId('hooks-list', HTMLElement).replaceChildren();
  }

  /** Rejects with a Failure. */
  async add(): Promise<void> {
    if (this.#login === null) return;
    const events = [...byId('hook-events', HTMLElement).querySelectorAll<HTMLInputElement>('input:checked')].map(({ value }) => value);
    const format = this.#wanted;
    const body = {
      ...{ url: this.#url.value.trim(), events, format },
      ...(format === 'telegram' && { chat_id: this.#chat.value.trim() }),
    };
    const changed = this.#changed;
    if (changed === undefined) {
      const { secret, message: _, ...webhook } = await this.#parts.service.addWebhook(this.#login, body);
      this.#webhooks = [...this.#webhooks, webhook];
      this.#edit(undefined);
      // Only the signed form needs it.
      this.#showSecret(format === 'json' ? secret : null);
      this.#told.textContent = `The target was added. ${format === 'json' ? 'Save its secret now, then test it.' : 'Test it.'}`;
    } else {
      const webhook = await this.#parts.service.changeWebhook(this.#login, changed.id, body);
      this.#webhooks = this.#webhooks.map((one) => (one.id === webhook.id ? webhook : one));
      this.#edit(undefined);
      this.#told.textContent = 'The target was changed; its secret is the same. Test it.';
    }
    this.#draw();
    this.#told.focus();
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
    this.#chat.parentElement!.hidden = this.#wanted !== 'telegram';
    byId('hook-url-hint', HTMLElement).textContent = FORMATS[this.#wanted][1];
    const isNew = this.#changed === undefined;
    this.#url.closest('.field')!.querySelector('label')!.textContent = isNew ? 'URL of a new target' : 'URL of the target';
    this.#url.form!.querySelector('[type=submit]')!.textContent = isNew ? 'Add' : 'Save the change';
  }

  #showSecret(secret: string | null): void {
    byId('hook-issued', HTMLElement).hidden = secret === null;
    byId('hook-secret', HTMLElement).textContent = secret ?? '';
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
    const told = element('p', { class: 'hook-told', role: 'status' });
    const button = (text: string, act: (login: Login) => Promise<void>): HTMLButtonElement => {
      const made = element('button', { type: 'button', class: 'small', 'aria-label': `${text}: ${url}` }, text);
      made.addEventListener('click', () => void this.#once(made, act));
      return made;
    };
    const test = button('Test', async (login) => {
      told.textContent = 'Sending a test alert…';
      const { delivered, status, error } = await this.#parts.service.testWebhook(login, id).catch((failure: unknown) => {
        told.textContent = '';
        throw failure;
      });
      told.dataset['kind'] = delivered ? 'good' : 'bad';
      told.textContent = delivered ? `Delivered: the target answered ${status}.` : `Not delivered: ${error ?? `status ${status}`}.`;
    });
    const change = button('Change', async () => {
      this.#edit(webhook);
      this.#url.focus();
    });
    const failed = button('Failed alerts', async (login) => {
      const list = (await this.#parts.service.failedAlerts(login, id)).failed;
      told.removeAttribute('data-kind');
      told.replaceChildren(list.length === 0 ? 'No alert was given up.' : '', ...list.map(failedLine));
    });
    const remove = sureButton(
      { text: 'Remove', label: `Remove ${url}`, words: 'Its undelivered alerts are dropped. This cannot be undone.', sure: 'Remove it' },
      () => void this.#parts.run(() => this.#remove(webhook)),
    );
    return element(
      'li',
      {},
      element('p', { class: 'key-words' }, element('code', {}, url), element('span', { class: 'hint' }, about)),
      element('div', { class: 'row' }, test, change, failed, remove),
      told,
    );
  }

  async #once(button: HTMLButtonElement, act: (login: Login) => Promise<void>): Promise<void> {
    const login = this.#login;
    if (login === null) return;
    button.disabled = true;
    await this.#parts.run(() => act(login));
    button.disabled = false;
  }

  async #remove({ id, url }: Webhook): Promise<void> {
    if (this.#login === null) return;
    await this.#parts.service.removeWebhook(this.#login, id);
    this.#webhooks = this.#webhooks.filter((other) => other.id !== id);
    this.#edit(undefined);
    this.#draw();
    this.#told.textContent = `${url} gets no more alerts.`;
    this.#told.focus();
  }
}

const failedLine = ({ type, failed_at: at, attempts, error }: FailedAlert): HTMLElement =>
  element(
    'span',
    { class: 'failed' },
    `${minuteOf(at)}: ${type}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}, ${error ?? 'no reason'}`,
  );
