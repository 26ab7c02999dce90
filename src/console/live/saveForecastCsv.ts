import { saveText } from '../dom/saveText.ts';
import type { Stream } from './Stream.ts';
import { writeForecastCsv } from './writeForecastCsv.ts';

export const saveForecastCsv = ({ name, log }: Pick<Stream, 'name' | 'log'>): void =>
  saveText(`${name}-forecasts.csv`, writeForecastCsv(log.rows));
