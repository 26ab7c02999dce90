import { copyText, sayOnButton } from '../dom/copyText.ts';
import { byId } from '../dom/element.ts';
import { showFault } from '../dom/fieldFaults.ts';
import { Failure } from '../service/Failure.ts';
import { failureText } from '../service/failureText.ts';
import type { Service } from '../service/Service.ts';

type Pane = 'signup' | 'signin' | 'issued' | 'signed';
const PANES: readonly Pane[] = ['signup', 'signin', 'issued', 'signed'];
const SIGNUP_FIELDS = ['email', 'password', 'confirm_password', 'company_id'] as const;
/** Only where the user asks for it; never localStorage, which outlives the tab. */
const KEPT = 'tickmark.key';
const KEY_PREFIX_LENGTH = 13;

/** The service names the fields of the wire; the page has names of its own for them. */
const FIELD_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^email\b/, 'The e-mail'],
  [/^password\b/, 'The password'],
  [/^confirm_password must equal password; it differs\./, 'Both passwords must be equal.'],
  [/ Send the same text as password and confirm_password\./, ''],
  [/^company_id\b/, 'The company'],
];

const named = (text: string): string => FIELD_NAMES.reduce((told, [name, label]) => told.replace(name, label), text);

export type Account = { readonly key: string; readonly email: string | null };

/** Sign-up, sign-in, the key that is shown once, and forgetting it. The key is held in memory. */
export class AccountDialog {
  readonly #service: Service;
  readonly #onChange: (account: Account | null) => void;
  readonly #dialog = byId('account', HTMLDialogElement);
  readonly #forms = Object.fromEntries(PANES.map((pane) => [pane, byId(pane, HTMLFormElement)])) as Record<Pane, HTMLFormElement>;
  #account: Account | null = null;
  /** Issued, and not yet said to be saved. */
  #unsaved: Account | null = null;

  constructor(service: Service, onChange: (account: Account | null) => void) {
    this.#service = service;
    this.#onChange = onChange;
    this.#listen();
  }

  get key(): string | null {
    return this.#account?.key ?? null;
  }

  /** A key that was kept in this tab is taken as it is: the first call shows whether it is good. */
  restore(): void {
    const key = sessionStorage.getItem(KEPT);
    if (key !== null) this.#take({ key, email: null });
  }

  open(pane: 'signup' | 'signin' | 'signed'): void {
    this.#show(pane);
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#forms[pane].querySelector<HTMLElement>('input, button')?.focus();
  }

  #listen(): void {
    const { signup, signin, issued, signed } = this.#forms;
    const on = (form: HTMLFormElement, act: () => Promise<void> | void): void =>
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        void act();
      });
    on(signup, () => this.#working(signup, () => this.#signUp()));
    on(signin, () => this.#working(signin, () => this.#signIn()));
    on(issued, () => this.#goOn());
    on(signed, () => this.#forget());
    for (const button of this.#dialog.querySelectorAll('[data-close]')) button.addEventListener('click', () => this.#dialog.close());
    for (const button of this.#dialog.querySelectorAll<HTMLElement>('[data-show]'))
      button.addEventListener('click', () => this.open(button.dataset['show'] as 'signup' | 'signin'));
    const copy = byId('issued-copy', HTMLButtonElement);
    copy.addEventListener('click', () => void this.#copy(copy));
    const saved = byId('saved', HTMLInputElement);
    saved.addEventListener('change', () => (byId('issued-go', HTMLButtonElement).disabled = !saved.checked));
    // A key that is not saved is lost with the dialog or the page.
    this.#dialog.addEventListener('cancel', (event) => this.#unsaved !== null && event.preventDefault());
    addEventListener('beforeunload', (event) => this.#unsaved !== null && event.preventDefault());
  }

  #show(pane: Pane): void {
    for (const [name, form] of Object.entries(this.#forms)) {
      form.hidden = name !== pane;
      const title = form.querySelector('[data-title]');
      if (name === pane) title?.setAttribute('id', 'account-title');
      else title?.removeAttribute('id');
    }
    this.#clearFaults();
  }

  #clearFaults(): void {
    for (const field of [...SIGNUP_FIELDS, 'key']) showFault(field, null);
    for (const told of this.#dialog.querySelectorAll<HTMLElement>('[data-fault]')) told.hidden = true;
  }

  async #working(form: HTMLFormElement, act: () => Promise<void>): Promise<void> {
    const submit = form.querySelector<HTMLButtonElement>('[type=submit]');
    if (submit?.disabled !== false) return;
    submit.disabled = true;
    this.#clearFaults();
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#tell(form, error);
    } finally {
      submit.disabled = false;
    }
  }

  /** Each fault beside the field that it names; what names none stands under the form. */
  #tell(form: HTMLFormElement, failure: Failure): void {
    const shown = failure.fields.filter(({ pointer, detail, hint }) => {
      const field = SIGNUP_FIELDS.find((name) => pointer === `/${name}`);
      if (field !== undefined) showFault(field, named(`${detail} ${hint}`));
      return field !== undefined;
    });
    if (failure.code === 'account.email_taken') showFault('email', Object.values(failureText(failure)).join(' '));
    else if (form === this.#forms.signin && failure.status === 401) showFault('key', Object.values(failureText(failure)).join(' '));
    else if (shown.length === 0) {
      const told = form.querySelector<HTMLElement>('[data-fault]');
      if (told !== null) {
        told.hidden = false;
        told.textContent = Object.values(failureText(failure)).join(' ');
      }
    }
    form.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }

  async #signUp(): Promise<void> {
    const { signup } = this.#forms;
    const read = (name: string): string => (signup.elements.namedItem(name) as HTMLInputElement).value;
    const company = read('company_id');
    const { email, api_key: key } = await this.#service.signUp({
      email: read('email').trim(),
      password: read('password'),
      confirm_password: read('confirm_password'),
      ...(company === '' ? {} : { company_id: company }),
    });
    signup.reset();
    this.#unsaved = { key, email };
    byId('issued-key', HTMLElement).textContent = key;
    byId('issued-told', HTMLElement).textContent = '';
    byId('saved', HTMLInputElement).checked = false;
    byId('issued-go', HTMLButtonElement).disabled = true;
    this.#show('issued');
    byId('issued-copy', HTMLButtonElement).focus();
  }

  async #copy(button: HTMLButtonElement): Promise<void> {
    const isDone = await copyText(this.#unsaved?.key ?? '');
    if (isDone) sayOnButton(button, 'Copied');
    byId('issued-told', HTMLElement).textContent = isDone
      ? 'The key is on the clipboard. Paste it where you keep your secrets.'
      : 'This browser gives no clipboard to this page. Select the key and copy it.';
  }

  #goOn(): void {
    const issued = this.#unsaved;
    if (issued === null || !byId('saved', HTMLInputElement).checked) return;
    this.#unsaved = null;
    byId('issued-key', HTMLElement).textContent = '';
    this.#dialog.close();
    this.#take(issued);
  }

  async #signIn(): Promise<void> {
    const key = byId('key', HTMLInputElement).value.trim();
    if (key === '') {
      showFault('key', 'Paste the key that sign-up gave you.');
      byId('key', HTMLInputElement).focus();
      return;
    }
    const { email } = await this.#service.me(key);
    if (byId('keep', HTMLInputElement).checked) sessionStorage.setItem(KEPT, key);
    this.#forms.signin.reset();
    this.#dialog.close();
    this.#take({ key, email });
  }

  #forget(): void {
    sessionStorage.removeItem(KEPT);
    this.#dialog.close();
    this.#take(null);
  }

  #take(account: Account | null): void {
    this.#account = account;
    const name = account === null ? null : (account.email ?? `${account.key.slice(0, KEY_PREFIX_LENGTH)}…`);
    byId('account-open', HTMLButtonElement).textContent = name ?? 'Sign in';
    byId('signed-text', HTMLElement).textContent =
      name === null ? '' : `Calls go out with the key ${account?.key.slice(0, KEY_PREFIX_LENGTH)}… (${name}).`;
    this.#onChange(account);
  }
}
