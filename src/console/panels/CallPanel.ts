import { optionsOf, type Ask } from '../Ask.ts';
import { writeCall, type CallLanguage } from '../answer/writeCall.ts';
import { copyText, sayOnButton, byId } from '../dom/element.ts';
import { buildBody } from '../ticks/readFuture.ts';
import { ticksUpTo } from '../ticks/TickSeries.ts';

const LANGUAGES: readonly CallLanguage[] = ['curl', 'typescript', 'python'];

/** The call that was sent, in three languages. The page shortens its lists; the clipboard gets all of it. */
export class CallPanel {
  readonly #text = byId('call-text', HTMLElement);
  readonly #tabs = LANGUAGES.map((language) => byId(`tab-${language}`, HTMLButtonElement));
  #language: CallLanguage = 'curl';
  #sent: { readonly ask: Ask; readonly isKeyless: boolean } | undefined;

  constructor() {
    this.#tabs.forEach((tab, at) => {
      tab.addEventListener('click', () => this.#choose(at));
      tab.addEventListener('keydown', ({ key }) => {
        const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
        if (step !== 0) this.#choose((at + step + LANGUAGES.length) % LANGUAGES.length, true);
      });
    });
    const copy = byId('call-copy', HTMLButtonElement);
    copy.addEventListener('click', () => void this.#copy(copy));
  }

  /** `isKeyless`: the sample's answer, which needs neither key nor body. */
  show(ask: Ask, isKeyless: boolean): void {
    this.#sent = { ask, isKeyless };
    this.#render();
  }

  #choose(at: number, withFocus = false): void {
    this.#language = LANGUAGES[at];
    this.#tabs.forEach((tab, other) => {
      tab.setAttribute('aria-selected', String(other === at));
      tab.tabIndex = other === at ? 0 : -1;
    });
    if (withFocus) this.#tabs[at].focus();
    this.#text.setAttribute('aria-labelledby', this.#tabs[at].id);
    this.#render();
  }

  #write(isShort: boolean): string {
    if (this.#sent === undefined) return '';
    const { ask, isKeyless } = this.#sent;
    const { source, origin, count, horizonMs, model } = ask;
    const body = isKeyless ? null : buildBody({ series: ticksUpTo(source.series, origin, count), horizonMs });
    return writeCall(this.#language, { url: location.origin, body, options: optionsOf(ask), model, isShort });
  }

  #render(): void {
    this.#text.textContent = this.#write(true);
    byId('call-hint', HTMLElement).textContent =
      this.#sent?.isKeyless === true
        ? 'The sample needs no key and no body.'
        : 'Put your key into the environment variable TICKMARK_KEY. Long lists are shortened here; the copy has every tick.';
  }

  async #copy(button: HTMLButtonElement): Promise<void> {
    sayOnButton(button, (await copyText(this.#write(false))) ? 'Copied' : 'No clipboard here');
  }
}
