import { bpsText } from '../answer/describeAnswer.ts';

/** The horizons of a stream, one for each head of the model; the id is the text on the wire. */
export const LIVE_HORIZONS = [
  { id: '10s', name: '10 s' },
  { id: '60s', name: '1 min' },
  { id: '5m', name: '5 min' },
  { id: '30m', name: '30 min' },
] as const;

export const horizonName = (id: string): string => LIVE_HORIZONS.find((one) => one.id === id)?.name ?? id;

/** Stream seconds per second; Infinity: as fast as the service answers. */
export type Speed = number;

export const speedText = (speed: Speed): string => (speed === Infinity ? 'full speed' : `${speed}×`);

const SERIES = /^[A-Za-z0-9._:-]{1,64}$/;

/** `EURUSD-2024` for `EURUSD 2024.csv.gz`: a name that the service accepts. */
export function seriesNameOf(fileName: string): string {
  const stem = fileName.replace(/(?<=.)\..*$/, '');
  return stem.replaceAll(/[^A-Za-z0-9._:-]/g, '-').slice(0, 64) || 'ticks';
}

/** Why the text is no name of a series; null where it is one. */
export function seriesFault(name: string): string | null {
  if (SERIES.test(name)) return null;
  return 'Write 1 to 64 letters (A to Z), digits, dots, underscores, colons or hyphens.';
}

/** What a stream asks of the key, in words. */
export function loadText(everyS: number, speed: Speed, minMoveBps: number | null): string {
  const threshold = minMoveBps === null ? 'the threshold of each window' : `your threshold of ${bpsText(minMoveBps)}`;
  const perMinute = Math.round(((LIVE_HORIZONS.length * 60) / everyS) * speed);
  const load =
    speed === Infinity
      ? 'Forecasts as fast as the service answers; over the limit of the key, the stream waits.'
      : `About ${perMinute.toLocaleString('en')} forecasts a minute count on the limit of the key.`;
  return `${LIVE_HORIZONS.length} horizons, with ${threshold}. ${load}`;
}
