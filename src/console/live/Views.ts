import type { Thresholds } from '../Thresholds.ts';
import type { Source } from '../Ask.ts';
import { byId, loadPart } from '../dom/element.ts';
import type * as records from '../record/RecordPanel.ts';
import { Failure, failureText } from '../service/failureText.ts';
import type { PageService } from '../service/pageService.ts';
import { LivePanel } from './LivePanel.ts';

const VIEWS = ['forecast', 'live', 'record'] as const;
type View = (typeof VIEWS)[number];

/** What the views need of the page. */
export type ViewsHost = {
  readonly service: PageService;
  readonly key: () => string | null;
  readonly signIn: () => void;
  /** The key; opens sign-up and gives null where there is none. */
  readonly askForKey: () => string | null;
  /** Undefined: a field is invalid, and says so. */
  readonly thresholds: () => Thresholds | undefined;
};

/** The views of the page, named by the fragment of the address: one forecast, a live stream, the track record. */
export class Views {
  readonly #live: LivePanel;
  readonly #openRecord: () => Promise<records.RecordPanel>;
  #record: Promise<records.RecordPanel> | undefined;
  #view: View = 'forecast';

  constructor({ service, key, signIn, askForKey, thresholds }: ViewsHost) {
    this.#live = new LivePanel({ service, askForKey, changeKey: signIn, thresholds });
    this.#openRecord = async () => {
      const { RecordPanel } = (await loadPart('record')) as typeof records;
      return new RecordPanel({ service, key, signIn, explain });
    };
    addEventListener('hashchange', () => {
      this.#turnTo(viewOf(location.hash));
      // The browser gives no focus to the target of the skip link in a view that was hidden.
      document.getElementById(location.hash.slice(1))?.focus();
    });
    byId('move', HTMLInputElement).form?.addEventListener('input', () => this.#live.showLoad());
  }

  get isForecast(): boolean {
    return this.#view === 'forecast';
  }

  /** Shows the view of the address. */
  start(): void {
    this.#turnTo(viewOf(location.hash));
  }

  take(source: Source): void {
    this.#live.take(source);
  }

  keyChanged(): void {
    this.#live.keyChanged();
    if (this.#view === 'record') void this.#showRecord();
  }

  recolour(): void {
    this.#live.recolour();
  }

  /** Loaded at the first look. */
  async #showRecord(): Promise<void> {
    this.#record ??= this.#openRecord();
    const record = await this.#record.catch(() => null);
    if (record !== null) return record.load();
    this.#record = undefined;
    byId('record-words', HTMLElement).textContent = 'The page could not load the track record: reload it.';
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
    if (view === 'record') void this.#showRecord();
    if (view === 'live') this.#live.showLoad();
  }
}

/** Throws what is no answer of the service. */
function explain(error: unknown): string {
  if (!(error instanceof Failure)) throw error;
  return Object.values(failureText(error)).join(' ');
}

/** Other fragments, such as that of the skip link, lead to the forecast. */
const viewOf = (hash: string): View => VIEWS.find((view) => hash === `#${view}`) ?? 'forecast';
