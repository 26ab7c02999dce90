import { byId, copyText, element, sayOnButton } from '../dom/element.ts';
import { askForKey, keepKey, keptKey } from '../service/keptKey.ts';
import { curlText, readable, tryRequest, type TryFields } from './tryRequest.ts';

/** The page shows this many characters of an answer: the longest would make it slow. */
const MOST_SHOWN = 100_000;
/** A second press within this time sends a DELETE. */
const SURE_MS = 5000;

const optional = (id: string): HTMLInputElement | null => document.getElementById(id) as HTMLInputElement | null;

/** Sends the request of the page, and shows the answer and the same call for a shell. */
export class TryForm {
  readonly #form = byId('try', HTMLFormElement);
  readonly #send = byId('try-send', HTMLButtonElement);
  readonly #stop = byId('try-stop', HTMLButtonElement);
  readonly #curl = byId('curl', HTMLElement);
  readonly #template = this.#curl.textContent ?? '';
  readonly #body = document.getElementById('try-body') as HTMLTextAreaElement | null;
  readonly #key = optional('try-key');
  #sending: AbortController | undefined;
  #isSure = false;

  constructor() {
    this.#form.hidden = false;
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#asksFirst()) return;
      void this.#run();
    });
    this.#form.addEventListener('input', () => this.#showCurl());
    this.#stop.addEventListener('click', () => this.#sending?.abort());
    const copy = byId('curl-copy', HTMLButtonElement);
    copy.hidden = false;
    copy.addEventListener(
      'click',
      () => void copyText(this.#curl.textContent ?? '').then((done) => sayOnButton(copy, done ? 'Copied' : 'Select and copy it')),
    );
    this.#takeKey();
    this.#showCurl();
    void this.#takeSample();
  }

  get #fields(): TryFields {
    const parameters = [...this.#form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-in]')].map((field) => ({
      name: field.name,
      place: field.dataset['in'] ?? '',
      value: field.value.trim(),
    }));
    const [email, password] = [optional('try-email'), optional('try-password')];
    return {
      method: this.#form.dataset['method'] ?? 'GET',
      path: this.#form.dataset['path'] ?? '',
      parameters,
      ...(this.#key === null ? {} : { key: this.#key.value.trim() }),
      ...(email === null || password === null ? {} : { login: { email: email.value.trim(), password: password.value } }),
      ...(this.#body === null ? {} : { body: this.#body.value }),
    };
  }

  /** The key that the tab keeps, or that of the console in another tab. */
  #takeKey(): void {
    const field = this.#key;
    if (field === null) return;
    const take = (key: string, from: string): void => {
      if (field.value !== '') return;
      field.value = key;
      byId('try-key-hint', HTMLElement).textContent =
        `${key.slice(0, 13)}…, ${from}. Sent in a header to this service only, never in an address.`;
    };
    const kept = keptKey();
    if (kept === null) askForKey((key) => take(key, 'from the console in another tab'));
    else take(kept, 'kept in this tab');
    const keep = byId('try-keep', HTMLInputElement);
    keep.checked = kept !== null;
    const changed = (): void => keepKey(keep.checked && field.value.trim() !== '' ? field.value.trim() : null);
    keep.addEventListener('change', changed);
    field.addEventListener('change', changed);
  }

  /** The ticks of the sample in place of the shorter example, which the body keeps if they cannot be loaded. */
  async #takeSample(): Promise<void> {
    const form = this.#body?.dataset['sample'];
    if (this.#body === null || form === undefined) return;
    const before = this.#body.value;
    const response = await fetch('/sample', { credentials: 'omit' }).catch(() => null);
    if (response?.ok !== true) return;
    const sample: unknown = await response.json();
    if (this.#body.value !== before) return;
    this.#body.value = readable(JSON.stringify(form === 'items' ? { items: [sample] } : sample), 'json');
    this.#showCurl();
  }

  #showCurl(): void {
    this.#curl.textContent = curlText(this.#template, location.origin, this.#fields);
  }

  /** What is deleted cannot be restored: a DELETE takes a second press. */
  #asksFirst(): boolean {
    if (this.#form.dataset['method'] !== 'DELETE' || this.#isSure) return false;
    this.#isSure = true;
    this.#send.textContent = 'Press again to delete';
    setTimeout(() => this.#calm(), SURE_MS);
    return true;
  }

  #calm(): void {
    this.#isSure = false;
    this.#send.textContent = 'Send';
  }

  async #run(): Promise<void> {
    this.#calm();
    this.#sending?.abort();
    const sending = new AbortController();
    this.#sending = sending;
    const fault = byId('try-fault', HTMLElement);
    fault.hidden = true;
    this.#send.disabled = true;
    this.#stop.hidden = false;
    const { url, headers, body } = tryRequest(this.#fields);
    const sinceMs = performance.now();
    try {
      // Without credentials, the browser shows no dialog of its own where the service asks for a password.
      const response = await fetch(url, {
        ...{ method: this.#fields.method, headers, credentials: 'omit', cache: 'no-store', signal: sending.signal },
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      this.#show(response, text, performance.now() - sinceMs);
    } catch (error) {
      fault.hidden = false;
      fault.textContent = sending.signal.aborted
        ? 'Stopped.'
        : `No answer: the service may have stopped, or a field has a character that a header cannot have (${(error as Error).message}).`;
    } finally {
      this.#send.disabled = false;
      this.#stop.hidden = true;
    }
  }

  #show(response: Response, text: string, ms: number): void {
    const type = response.headers.get('Content-Type') ?? '';
    const shown = readable(text, type);
    byId('try-answer', HTMLElement).hidden = false;
    const title = byId('try-status', HTMLElement);
    title.textContent = `${response.status} ${response.statusText} · ${ms.toFixed(0)} ms · ${new TextEncoder().encode(text).length.toLocaleString('en')} bytes`;
    title.dataset['kind'] = response.status < 400 ? 'good' : 'bad';
    byId('try-headers', HTMLElement).textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    byId('try-text', HTMLElement).textContent = shown === '' ? 'No body.' : shown.slice(0, MOST_SHOWN);
    const cut = byId('try-cut', HTMLElement);
    cut.hidden = shown.length <= MOST_SHOWN;
    cut.textContent = `The first ${MOST_SHOWN.toLocaleString('en')} of ${shown.length.toLocaleString('en')} characters.`;
    const told = byId('try-error', HTMLElement);
    const code = /^[^]*?"code": "([\w.]+)"/.exec(response.status < 400 ? '' : shown)?.[1];
    told.hidden = code === undefined;
    if (code !== undefined) told.replaceChildren('What to do: ', element('a', { href: `/docs/errors#${code}` }, element('code', {}, code)));
    title.scrollIntoView({ block: 'nearest' });
  }
}
