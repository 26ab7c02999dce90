import { byId, optionsOf, showFault } from '../dom/element.ts';
import { explain } from '../service/failureText.ts';
import type { PageService } from '../service/pageService.ts';
import type { Version } from '../service/Service.ts';

export type VersionPanelParts = {
  readonly service: Pick<PageService, 'versions' | 'choose' | 'chosen'>;
  /** The key; opens the account dialog and gives null where there is none. */
  readonly askForKey: () => string | null;
  /** Another version answers from now on. */
  readonly onChange: (version: Version) => void;
};

/** Which of the versions of the service answers, and which one a replay may be compared with. The page fetches its files, and computes with them if it can. */
export class VersionPanel {
  readonly #parts: VersionPanelParts;
  readonly #select = byId('version', HTMLSelectElement);
  #versions: readonly Version[] | undefined;

  constructor(parts: VersionPanelParts) {
    this.#parts = parts;
    this.#select.addEventListener('change', () => void this.#choose());
  }

  /** Once, with the first file. */
  async list(): Promise<void> {
    if (this.#versions !== undefined) return;
    this.#versions = [];
    this.#versions = await this.#parts.service.versions().catch(() => []);
    const others = this.#versions.filter(({ isDefault }) => !isDefault).map(({ id }) => [id, id] as const);
    for (const id of ['version', 'replay-other']) byId(id, HTMLSelectElement).append(...optionsOf(others));
    for (const row of ['version-row', 'replay-versions']) byId(row, HTMLElement).hidden = others.length === 0;
  }

  async #choose(): Promise<void> {
    const { service, askForKey, onChange } = this.#parts;
    const id = this.#select.value === '' ? null : this.#select.value;
    const key = id === null ? null : askForKey();
    showFault('version', null);
    this.#select.disabled = true;
    try {
      if (id === null || key !== null) await service.choose(id, key);
    } catch (error) {
      showFault('version', explain(error));
    } finally {
      this.#select.disabled = false;
      this.#select.value = service.chosen ?? '';
    }
    const version = this.#versions?.find((one) => (service.chosen === null ? one.isDefault : one.id === service.chosen));
    if (version !== undefined) onChange(version);
  }
}
