import { BUCKET_UPPER_S } from '../../engine/features/horizonBuckets.ts';
import type { ModelManifest } from '../../engine/model/ModelManifest.ts';
import { suitableTicks } from '../../engine/model/suitableTicks.ts';
import { sampleRequest } from '../../ticks/sampleRequest.ts';
import { Failure } from '../service/failureText.ts';
import type { Service } from '../service/clientService.ts';

/** What only a service can do. */
const REFUSED = [
  ...([
    'versionFiles',
    'forecast',
    'sampleForecast',
    'signUp',
    'signIn',
    'linkSession',
    'sessions',
    'endSession',
    'me',
    'ownerOf',
  ] as const),
  ...([
    'listKeys',
    'issueKey',
    'revokeKey',
    'listWebhooks',
    'addWebhook',
    'testWebhook',
    'failedAlerts',
    'changeWebhook',
    'removeWebhook',
  ] as const),
  ...(['markets', 'addMarket', 'changeMarket', 'removeMarket', 'marketForecasts', 'trackRecord', 'sealedRecord'] as const),
];

/** What the page asks of a service, of the version that it contains. What only a service can do is refused; the page does not offer it. */
export function noService({ id, heads, trained }: ModelManifest): Service {
  const [fromS, toS] = trained.medianGapS;
  // As `GET /models` describes a version.
  const windowTicks = BUCKET_UPPER_S.map((upper) => ({
    upToS: Number.isFinite(upper) ? upper : null,
    ticks: suitableTicks({ heads }, upper),
  }));
  const cuts = Object.fromEntries(heads.map(({ name, cut }) => [name, cut]));
  const neverMarks = heads.filter(({ cut }) => cut === null).map(({ name }) => name);
  const none = (): Failure => new Failure('This page has no service.', { status: 0 });
  const refused = (): Promise<never> => Promise.reject(none());
  return {
    ready: () => Promise.resolve({ model: id }),
    defaultModel: () => Promise.resolve({ density: { medianGapMs: [fromS * 1000, toS * 1000] }, neverMarks, windowTicks }),
    versions: () => Promise.resolve([{ id, isDefault: true, mostHorizonToWindow: trained.horizonToWindow[1], windowTicks, cuts }]),
    sample: () => Promise.resolve(sampleRequest()),
    limits: () => Promise.resolve([]),
    ...(Object.fromEntries(REFUSED.map((name) => [name, refused])) as Record<(typeof REFUSED)[number], typeof refused>),
    live: () => {
      throw none();
    },
  };
}
