import { element } from '../dom/element.ts';
import type { Stream } from './Stream.ts';
import { writeForecastCsv } from './writeForecastCsv.ts';

export function saveForecastCsv({ name, log }: Pick<Stream, 'name' | 'log'>): void {
  const url = URL.createObjectURL(new Blob([writeForecastCsv(log.rows)], { type: 'text/csv' }));
  element('a', { href: url, download: `${name}-forecasts.csv` }).click();
  URL.revokeObjectURL(url);
}
