import { byId, element, showFault } from '../dom/element.ts';
import { Failure } from '../service/failureText.ts';
import { keepKey, keepSession, keptKey, keptSession, shareKey } from '../service/keptKey.ts';
import type { Service } from '../service/clientService.ts';
import { SESSION } from '../service/Service.ts';
import { IssuedKey, type Account } from './IssuedKey.ts';
import { KeysPane } from './KeysPane.ts';
import type { WebhooksPane } from './WebhooksPane.ts';
import { isOwnLink, questionOf, takeKeyFromAddress, takesLinks } from './linkedKey.ts';
import { deviceName, showSessions } from './SessionList.ts';
import { showFailure } from './FailurePanel.ts';

const PANES = ['signup', 'signin', 'login', 'keys', 'hooks', 'issued', 'signed', 'linked'] as const;
type Pane = (typeof PANES)[number];
/** What a session shows. */
type ListPane = 'keys' | 'hooks';
/** Panes that links and buttons can open; the lists and the issued key open after a call. */
type OpenPane = Exclude<Pane, ListPane | 'issued'>;
const FAULT = '-fault';
const KEY_PREFIX_LENGTH = 13;

/** Sign-up, sign-in by e-mail and password or by a key, the key that is shown once, keys and sessions of an account. A key is held in memory. */
export class AccountDialog {
  readonly #service: Service;
  readonly #onChange: (account: Account | null) => void;
  readonly #dialog = byId('account', HTMLDialogElement);
  readonly #forms = Object.fromEntries(PANES.map((pane) => [pane, byId(pane, HTMLFormElement)])) as Record<Pane, HTMLFormElement>;
  #account: Account | null = null;
  readonly #issued = new IssuedKey(() => {
    this.#dialog.close();
    this.#take(this.#account);
  });
  readonly #keys: KeysPane;
  /** Loaded when it is opened. */
  #hooks: WebhooksPane | undefined;
  #afterLogin: ListPane | null = null;
  /** The account of a link that the person was asked about. */
  #linked: Account | null = null;

  constructor(service: Service, onChange: (account: Account | null) => void) {
    this.#service = service;
    this.#onChange = onChange;
    this.#keys = new KeysPane(service, (act) => this.#working(this.#forms.keys, act));
    shareKey(() => this.key);
    this.#listen();
  }

  get key(): string | null {
    return this.#account?.key ?? null;
  }

  /** Uses the key kept in this tab or the session of this browser, unchecked: the first call shows whether it is valid. A key of an opened link may be used or asked about. */
  restore(): void {
    const [linked, kept, session] = [takeKeyFromAddress(location, history), keptKey(), keptSession()];
    if (kept !== null) this.#take({ key: kept, email: null });
    else if (session !== null) {
      this.#take({ key: SESSION, email: session });
      // It may have been ended elsewhere.
      this.#service.me(SESSION).catch((error: unknown) => {
        if (error instanceof Failure && error.code === 'auth.key_refused' && this.key === SESSION) this.#take(null);
      });
    }
    if (linked !== null && linked !== kept) void this.#followLink(linked);
  }

  async #followLink(key: string): Promise<void> {
    const isHere = takesLinks(location.hostname);
    const email = isHere ? await this.#service.ownerOf(key) : null;
    // The person may have signed in meanwhile.
    if (email !== null && (isOwnLink(email, this.key) || this.#account?.email === email)) {
      const isIn = await isDone(this.#service.linkSession(key));
      return this.#take({ key: isIn ? SESSION : key, email });
    }
    const why = isHere
      ? 'The address has a key that is not valid, such as one of an earlier start of the service. Use the link of the running service, or sign in.'
      : 'The address has a key. The console takes a key from the address only on localhost; sign in with the key if it is yours.';
    this.#linked = email === null ? null : { key, email };
    byId('linked-text', HTMLElement).textContent = email === null ? why : questionOf(email, this.key);
    byId('linked-use', HTMLButtonElement).hidden = email === null;
    if (!this.#dialog.open) this.open('linked');
  }

  open(pane: OpenPane, afterLogin: ListPane | null = null): void {
    this.#afterLogin = afterLogin;
    const isSession = this.key === SESSION;
    if (afterLogin !== null && isSession) {
      if (!this.#dialog.open) this.open('signed');
      const form = PANES.map((each) => this.#forms[each]).find(({ hidden }) => !hidden)!;
      return void this.#working(form, () => this.#showList(afterLogin));
    }
    const email = this.#account?.email ?? null;
    if (pane === 'login' && email !== null) byId('login-email', HTMLInputElement).value = email;
    this.#show(pane);
    byId('sessions-part', HTMLElement).hidden = !isSession;
    if (pane === 'signed') void this.#showLimits();
    if (pane === 'signed' && isSession) void showSessions(this.#service, () => this.#signOut());
    if (!this.#dialog.open) this.#dialog.showModal();
    const fields = [...this.#forms[pane].querySelectorAll<HTMLElement>('input, button')];
    // Filled fields are skipped.
    (fields.find((field) => !(field instanceof HTMLInputElement) || field.value === '') ?? fields[0])?.focus();
  }

  async #showLimits(): Promise<void> {
    const told = byId('signed-limits', HTMLElement);
    told.replaceChildren();
    const { key } = this;
    const limits = key === null ? [] : await this.#service.limits(key);
    // The person may have changed the key meanwhile.
    if (key === this.key) told.replaceChildren(...limits.map((limit) => element('li', {}, limit)));
  }

  #listen(): void {
    const acts: Readonly<Record<Pane, () => Promise<void>>> = {
      signup: () => this.#signUp(),
      signin: () => this.#signIn(),
      login: () => this.#logIn(),
      keys: async () => this.#showIssued(await this.#keys.issue()),
      hooks: async () => this.#hooks?.add(),
      issued: async () => this.#issued.goOn(),
      signed: async () => {
        if (this.key === SESSION) await this.#service.endSession('current');
        this.#signOut();
      },
      linked: async () => {
        this.#dialog.close();
        if (this.#linked !== null) this.#take(this.#linked);
        this.#linked = null;
      },
    };
    for (const pane of PANES)
      this.#forms[pane].addEventListener('submit', (event) => {
        event.preventDefault();
        void this.#working(this.#forms[pane], acts[pane]);
      });
    this.#dialog.addEventListener('click', ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return;
      const { close, show, login } = target.dataset;
      if (close !== undefined) this.#dialog.close();
      if (show !== undefined) this.open(show as OpenPane);
      if (login !== undefined) this.open('login', login as ListPane);
    });
    // A key that is not saved is lost with the dialog.
    this.#dialog.addEventListener('cancel', (event) => this.#issued.isUnsaved && event.preventDefault());
    // No password and no key stays in a field.
    this.#dialog.addEventListener('close', () => {
      // Browsers let a second Escape close the dialog despite the listener above.
      if (this.#issued.isUnsaved) this.#dialog.showModal();
      this.#leaveLists();
      for (const field of this.#dialog.querySelectorAll<HTMLInputElement>('[type=password]')) field.value = '';
    });
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
    for (const { id } of this.#dialog.querySelectorAll<HTMLElement>(`[id$=${FAULT}]`)) showFault(id.slice(0, -FAULT.length), null);
    for (const told of this.#dialog.querySelectorAll('[data-fault]')) told.remove();
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
      showFailure(form, error);
    } finally {
      submit.disabled = false;
    }
  }

  async #signUp(): Promise<void> {
    const { signup } = this.#forms;
    const read = (name: string): string => (signup.elements.namedItem(name) as HTMLInputElement).value;
    const company = read('company_id');
    const password = read('password');
    const { email, api_key: key } = await this.#service.signUp({
      ...{ email: read('email').trim(), password, confirm_password: read('confirm_password') },
      ...(company !== '' && { company_id: company }),
    });
    signup.reset();
    // Without a session, the page goes on with the key.
    const isIn = await isDone(this.#startSession(email, password));
    this.#account = { key: isIn ? SESSION : key, email };
    this.#showIssued(key);
  }

  /** Rejects with a Failure. */
  async #startSession(email: string, password: string): Promise<void> {
    const name = deviceName(navigator.userAgent);
    const session = await this.#service.signIn({ email, password, ...(name && { name }) });
    this.#take({ key: SESSION, email: session.email });
  }

  #signOut(): void {
    this.#take(null);
    this.#dialog.close();
  }

  /** Also if the dialog was closed while the key was created: the key is shown only once. */
  #showIssued(key: string): void {
    this.#leaveLists();
    this.#show('issued');
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#issued.show(key);
  }

  async #logIn(): Promise<void> {
    const [email, password] = [byId('login-email', HTMLInputElement), byId('login-password', HTMLInputElement)];
    if (!/^[^@]+@[^@]+$/.test(email.value.trim())) showFault('login-email', 'Write the e-mail that you signed up with.');
    if (password.value === '') showFault('login-password', 'Write the password that you signed up with.');
    const faulty = this.#forms.login.querySelector<HTMLElement>('[aria-invalid]');
    if (faulty !== null) return faulty.focus();
    const after = this.#afterLogin;
    await this.#startSession(email.value.trim(), password.value);
    password.value = '';
    if (after === null) this.#dialog.close();
    else await this.#showList(after);
  }

  /** Shows the keys or the targets of alerts of the session. */
  async #showList(pane: ListPane): Promise<void> {
    const list = pane === 'keys' ? this.#keys : await this.#openHooks();
    await list.open(this.#account?.email ?? '');
    if (!this.#dialog.open) return this.#leaveLists();
    this.#show(pane);
    this.#forms[pane].querySelector<HTMLElement>('[data-title]')?.focus();
  }

  /** Rejects with a Failure. */
  async #openHooks(): Promise<WebhooksPane> {
    const found = await import('./WebhooksPane.ts').catch(() => {
      throw new Failure('The page could not load this part: reload it.', { status: 0 });
    });
    return (this.#hooks ??= new found.WebhooksPane(this.#service, (act) => this.#working(this.#forms.hooks, act)));
  }

  #leaveLists(): void {
    this.#keys.leave();
    this.#hooks?.leave();
  }

  async #signIn(): Promise<void> {
    const key = byId('key', HTMLInputElement).value.trim();
    if (key === '') {
      showFault('key', 'Paste the key that sign-up gave you.');
      return byId('key', HTMLInputElement).focus();
    }
    const { email } = await this.#service.me(key);
    if (byId('keep', HTMLInputElement).checked) keepKey(key);
    this.#forms.signin.reset();
    this.#dialog.close();
    this.#take({ key, email });
  }

  #take(account: Account | null): void {
    this.#account = account;
    // Another key than the one that the tab keeps: the next load must not go back to that.
    if (keptKey() !== account?.key) keepKey(null);
    const isSession = account?.key === SESSION;
    if (isSession || account === null) keepSession(account?.email ?? null);
    byId('signed-out', HTMLButtonElement).textContent = isSession ? 'Sign out' : 'Forget the key';
    const prefix = `${account?.key.slice(0, KEY_PREFIX_LENGTH)}…`;
    const name = account?.email ?? prefix;
    byId('account-open', HTMLButtonElement).textContent = account === null ? 'Sign in' : name;
    const text = isSession ? `This browser is signed in as ${name}.` : `Calls go out with the key ${prefix} (${name}).`;
    byId('signed-text', HTMLElement).textContent = account === null ? '' : text;
    this.#onChange(account);
  }
}

/** Whether the call succeeds. */
const isDone = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    () => false,
  );
