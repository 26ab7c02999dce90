import { byId, element } from '../dom/element.ts';
import { zoneChoices } from '../ticks/zoneChoices.ts';

/** In which zone stamps that name none are read. Only shown where the file leaves it open. */
export class ZoneChoice {
  readonly #box = byId('zone-choice', HTMLElement);
  readonly #select = byId('zone', HTMLSelectElement);
  /** What the ticks that are shown were read in. */
  #zone = '';

  constructor(onChoice: (zone: string) => void) {
    const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    this.#select.append(...zoneChoices(own).map(({ zone, label }) => element('option', { value: zone }, label)));
    this.#select.addEventListener('change', () => onChoice(this.#select.value));
  }

  /** `zone`: what the stamps were read in; null: they say it themselves. */
  show(zone: string | null): void {
    this.#box.hidden = zone === null;
    this.#zone = zone ?? '';
    this.takeBack();
  }

  /** The file was not read in the zone that was chosen: the field says again what the ticks on the page were read in. */
  takeBack(): void {
    this.#select.value = this.#zone;
  }
}
