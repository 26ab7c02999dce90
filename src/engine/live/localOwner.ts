import type { MemoryReason } from '../../contract/reasons.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { SeriesMemory } from '../memory/SeriesMemory.ts';
import type { DeskMemory, DeskOwner } from './DeskOwner.ts';
import { OutcomeBudget } from './LiveSeries.ts';
import { SeriesRates } from './SeriesRates.ts';

/** As of a connection to the service. */
const MOST_PENDING = 4096;

export type LocalParts = Pick<DeskOwner, 'send' | 'compute' | 'onForecast'> & {
  /** Whether the version does. */
  readonly usesMemory: boolean;
  /** off: the series are to have none. */
  readonly memory?: 'off' | undefined;
};
/** `readMemory`: for a series that is opened without a message too. */
type LocalOwner = DeskOwner & { readMemory(): ((periodMs: number) => DeskMemory | MemoryReason) | undefined };

/** Has a desk without a service, such as that of one page or one command. Nothing of its series is kept. */
export const localOwner = ({ usesMemory, memory, ...given }: LocalParts): LocalOwner => ({
  ...given,
  limits: { seriesPerConnection: 1, forecastsPerSeries: 8, pendingOutcomes: MOST_PENDING },
  accountId: '',
  rates: new SeriesRates(),
  outcomes: () => new OutcomeBudget(MOST_PENDING),
  readMemory: () =>
    memory === 'off' ? undefined : (periodMs) => (usesMemory ? { memory: new SeriesMemory(periodMs) } : 'version_without_memory'),
  // One whose window has no spread while its threshold is `cost`.
  skippedAs: (thrown) => (thrown instanceof ServiceError && thrown.code === 'request.invalid' ? thrown.code : undefined),
});
