import type { Column } from './columns.ts';
import type { Table } from './Table.ts';

/** What was traded within a bar, by its name. */
const VOLUME =
  /^(?:tick|real|base|quote|trade|total|contract|share)?(?:asset)?vol(?:ume)?(?:base|quote|usdt?)?$|^(?:v|tickvol|volumen|qty|quantity)$/;
/** Of klines of Binance without a header. */
const BINANCE_VOLUME = 5;

/** The columns of bars that are volumes by their names or by the format; none if all are 0, as where the source knows no volume. */
export function volumeColumns({ names }: Table, columns: readonly Column[], format: string): readonly number[] {
  const found = columns.filter(({ at, name }) =>
    names === undefined ? format === 'binance-klines' && at === BINANCE_VOLUME : VOLUME.test(name),
  );
  return found.some(({ numbers }) => numbers[0]?.values.some((volume) => volume > 0) === true) ? found.map(({ at }) => at) : [];
}
