import { byId, element } from '../dom/element.ts';
import { zoneChoices } from '../ticks/timeText.ts';

/** Selects the zone of stamps that carry none. Shown only for such files. */
export class ZoneChoice {
  readonly #box = byId('zone-choice', HTMLElement);
  readonly #select = byId('zone', HTMLSelectElement);
  /** The zone in which the displayed ticks were read. */
  #zone = '';

  constructor(onChoice: (zone: string) => void) {
    const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    this.#select.append(...zoneChoices(own).map(({ zone, label }) => element('option', { value: zone }, label)));
    this.#select.addEventListener('change', () => onChoice(this.#select.value));
  }

  /** `zone`: the zone in which the stamps were read; null: they carry one. */
  show(zone: string | null): void {
    this.#box.hidden = zone === null;
    this.#zone = zone ?? '';
    this.takeBack();
  }

  /** The file was not read in the chosen zone: resets the field to the zone of the displayed ticks. */
  takeBack(): void {
    this.#select.value = this.#zone;
  }
}
