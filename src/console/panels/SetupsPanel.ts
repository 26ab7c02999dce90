import type { Ask, Source } from '../Ask.ts';
import { placeText } from '../answer/describeAnswer.ts';
import { byId, element } from '../dom/element.ts';
import type { Setup } from '../../engine/scoring/usefulSetup.ts';
import { LEAD_HEAD, leadCells, type LeadRow, leadText } from '../replay/leadTable.ts';
import { clearingText } from '../replay/clearingText.ts';
import { Failure, failureText } from '../service/failureText.ts';
import type { PageService } from '../service/pageService.ts';
import { formatSpan } from '../ticks/timeText.ts';
import type { FailureData } from '../worker/failureData.ts';
import type { FromReplayWorker, SetupsOrder } from '../worker/replayMessages.ts';

export type SetupsPanelParts = {
  readonly workerUrl: string;
  readonly service: PageService;
  readonly key: () => string | null;
  /** Opens the account dialog where there is no key; whether there is one. */
  readonly hasKey: () => boolean;
  /** Sets the number of ticks and the horizon. */
  readonly onUse: (setup: { readonly ticks: number; readonly horizonMs: number }) => void;
};

/** Finds out which horizons, lengths and thresholds the serving version is useful for on the loaded ticks. */
export class SetupsPanel {
  readonly #parts: SetupsPanelParts;
  readonly #find = byId('setups-find', HTMLButtonElement);
  readonly #rows = byId('setups-rows', HTMLElement);
  #source: Source | undefined;
  /** The version that answers; null: the default one. */
  #model: string | null = null;
  /** Of the user, basis points; null: the spread of the quotes. */
  #costBps: number | null = null;
  #found: Setup[] = [];
  #lead: LeadRow[] = [];
  #worker: Worker | undefined;

  constructor(parts: SetupsPanelParts) {
    this.#parts = parts;
    this.#find.addEventListener('click', () => void this.#run());
  }

  show({ source, minMoveBps, model }: Ask): void {
    this.#costBps = minMoveBps === 'cost' ? null : minMoveBps;
    this.#told();
    byId('setups', HTMLElement).hidden = source.kind === 'sample';
    if (source === this.#source && model === this.#model) return;
    this.#source = source;
    this.#model = model;
    this.#end();
    this.#found = [];
    this.#lead = [];
    this.#told();
    byId('setups-box', HTMLElement).hidden = true;
    this.#fault(null);
  }

  async #run(): Promise<void> {
    const source = this.#source;
    if (source === undefined) return;
    this.#find.disabled = true;
    this.#fault(null);
    this.#rows.replaceChildren();
    this.#found = [];
    this.#lead = [];
    byId('setups-box', HTMLElement).hidden = false;
    try {
      const versions = await this.#parts.service.versions();
      const version = versions.find(({ id }) => id === this.#model) ?? versions[0];
      if (version === undefined || this.#source !== source) return this.#end();
      const worker = new Worker(this.#parts.workerUrl, { type: 'module', name: 'set-ups' });
      this.#worker = worker;
      worker.addEventListener('message', ({ data }: MessageEvent<FromReplayWorker>) => {
        if (this.#worker !== worker) return;
        if (data.kind === 'no_key') {
          this.#end();
          this.#parts.hasKey();
        } else if (data.kind === 'place') byId('setups-place', HTMLElement).textContent = placeText(data.version);
        else if (data.kind === 'setup') this.#add(data.setup, data.rows);
        else if (data.kind === 'ended') this.#finish(data.failure);
      });
      const engine = this.#parts.service.engineOrder();
      worker.postMessage({
        kind: 'setups',
        series: source.series,
        key: this.#parts.key(),
        version,
        costBps: this.#costBps,
        ...engine,
      } satisfies SetupsOrder);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#finish(error);
    }
  }

  #add(setup: Setup, rows: readonly LeadRow[]): void {
    this.#found.push(setup);
    this.#lead.push(...rows);
    this.#rows.append(...this.#rowsOf(setup, rows));
    this.#told();
  }

  /** Which horizons clear the cost of the user at all. */
  #told(): void {
    const told = byId('setups-cost', HTMLElement);
    const known = this.#found.filter(({ medianMoveBps }) => medianMoveBps !== null);
    told.hidden = known.length === 0;
    if (known.length === 0) return;
    told.textContent = `${clearingText(known, this.#costBps, this.#source?.series)} ${leadText(this.#lead)}`;
  }

  #finish(failure: FailureData | null): void {
    this.#end();
    if (failure === null) return;
    const { title, text } = failureText(new Failure(failure.message, failure));
    this.#fault(`${title} ${text}`);
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#find.disabled = false;
  }

  #rowsOf({ horizonS, ticks, noWindow, thresholdBps, reason }: Setup, rows: readonly LeadRow[]): HTMLElement[] {
    const horizon = formatSpan(horizonS * 1000);
    if (ticks === null || thresholdBps === null) {
      const why = noWindow ?? reason?.replaceAll('_', ' ') ?? 'no threshold';
      return [element('tr', {}, element('th', { scope: 'row' }, horizon), element('td', { colspan: 6 }, `Not useful: ${why}.`))];
    }
    return rows.map((row, at) => {
      const [first = '', ...cells] = leadCells(row);
      const use = element('button', { type: 'button', class: 'small', 'aria-label': `Use ${horizon}`, title: `${ticks} ticks` }, 'Use');
      use.addEventListener('click', () => this.#parts.onUse({ ticks, horizonMs: horizonS * 1000 }));
      return element(
        'tr',
        {},
        element('th', { scope: 'row' }, first),
        ...cells.map((cell, i) => element('td', { 'data-name': LEAD_HEAD[i + 1] }, cell)),
        element('td', {}, at === 0 ? use : ''),
      );
    });
  }

  #fault(text: string | null): void {
    const told = byId('setups-fault', HTMLElement);
    told.hidden = text === null;
    told.textContent = text ?? '';
  }
}
