import type { Source } from '../Ask.ts';
import { byId } from '../dom/element.ts';
import type { RecordPanel } from '../record/RecordPanel.ts';
import { AddressFields } from '../panels/AddressFields.ts';
import { parseAddress, type Place, type View, VIEWS, writeAddress } from '../panels/viewAddress.ts';
import type { MarketsPanel } from '../markets/MarketsPanel.ts';
import type { LivePanel, LiveHost } from './LivePanel.ts';

/** The address may change so often in a minute, and a hand moves faster. */
const SAVE_MS = 400;

/** What the views need of the page; `key`: null: none. */
export type ViewsHost = LiveHost & { readonly key: () => string | null };

/** The views of the page, named by the fragment of the address: one forecast, a live stream, the track record. */
export class Views {
  readonly #openLive: () => Promise<LivePanel>;
  readonly #openRecord: () => Promise<RecordPanel>;
  /** Both are loaded at the first look. */
  #live: LivePanel | undefined;
  #markets: MarketsPanel | undefined;
  #record: RecordPanel | undefined;
  #source: Source | undefined;
  #view: View = 'forecast';
  /** Resolves when the code of the view has come: nothing in it takes the focus before. */
  #loaded: Promise<void> = Promise.resolve();
  readonly #fields = new AddressFields();
  #places: Readonly<Partial<Record<Place, string>>> = {};
  #saving: ReturnType<typeof setTimeout> | undefined;

  constructor(host: ViewsHost) {
    this.#openLive = once(async () => {
      const [{ LivePanel }, { MarketsPanel }] = await Promise.all([import('./LivePanel.ts'), import('../markets/MarketsPanel.ts')]);
      const live: LivePanel = new LivePanel(host);
      if (this.#source !== undefined) live.take(this.#source);
      this.#markets = new MarketsPanel({ ...host, live });
      return (this.#live = live);
    });
    this.#openRecord = once(async () => (this.#record = new (await import('../record/RecordPanel.ts')).RecordPanel(host)));
    addEventListener('hashchange', () => {
      const target = location.hash.slice(1);
      const { view, values } = parseAddress(location.hash);
      this.#turnTo(view);
      this.#fields.set(values);
      this.#save();
      // The browser gives no focus to the target of the skip link in a view that was hidden.
      document.getElementById(target)?.focus();
    });
    const skip = byId('skip', HTMLAnchorElement);
    skip.addEventListener('click', (event) => {
      if (this.#view === 'forecast') return;
      event.preventDefault();
      const card = byId(`${this.#view}-card`, HTMLElement);
      void this.#loaded.then(() => document.activeElement === skip && card.focus());
    });
    // Fields of the account are none of a view.
    document.addEventListener('change', ({ target }) => target instanceof Element && target.closest('dialog') === null && this.#save());
  }

  get isForecast(): boolean {
    return this.#view === 'forecast';
  }

  /** Shows the view of the address. */
  start(): void {
    this.#turnTo(parseAddress(location.hash).view);
  }

  /** Sets the fields that the address names, once there is something to ask about. Returns the places that it names. */
  restore(): Readonly<Partial<Record<Place, string>>> {
    const { values } = parseAddress(location.hash);
    this.#fields.set(values);
    return values;
  }

  /** What the address says besides fields; empty: nothing. */
  keep(place: Place, text: string): void {
    if ((this.#places[place] ?? '') === text) return;
    this.#places = { ...this.#places, [place]: text };
    this.#save();
  }

  /** Anyone who opens the address on the same service sees the same view. */
  #save(): void {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => {
      // A link was followed, and its event, which saves, is still to come.
      if (parseAddress(location.hash).view !== this.#view) return;
      const places = this.#view === 'forecast' ? this.#places : {};
      const address = writeAddress(this.#view, { ...this.#fields.valuesOf(this.#view), ...places });
      if (location.hash !== '' || address !== '#forecast') history.replaceState(null, '', address);
    }, SAVE_MS);
  }

  take(source: Source): void {
    this.#source = source;
    this.#live?.take(source);
  }

  keyChanged(): void {
    this.#live?.keyChanged();
    this.#markets?.keyChanged();
    if (this.#view === 'record') void this.#record?.load();
  }

  /** The form has changed. */
  settingsChanged(): void {
    if (this.#view === 'live') this.#live?.showLoad();
  }

  recolour(): void {
    this.#live?.recolour();
    this.#markets?.recolour();
  }

  async #load<T>(view: View, told: string, open: () => Promise<T>, show: (part: T) => unknown): Promise<void> {
    const shown = byId(`${view}-view`, HTMLElement);
    // A press of a button whose code is still on its way would be lost.
    shown.inert = true;
    const part = await open().catch(() => null);
    shown.inert = false;
    if (part === null) byId(told, HTMLElement).textContent = 'The page could not load this part: reload it.';
    else show(part);
  }

  #turnTo(view: View): void {
    this.#view = view;
    document.body.dataset['view'] = view;
    for (const each of VIEWS) {
      byId(`${each}-view`, HTMLElement).hidden = each !== view;
      const link = byId(`${each}-link`, HTMLAnchorElement);
      if (each === view) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    if (view === 'record') this.#loaded = this.#load(view, 'record-words', this.#openRecord, (record) => record.load());
    if (view === 'live') this.#loaded = this.#load(view, 'live-state', this.#openLive, (live) => live.showLoad());
  }
}

/** The same for all calls, unless it fails. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () =>
    (opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
}
