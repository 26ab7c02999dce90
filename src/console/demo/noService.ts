import { BUCKET_UPPER_S } from '../../engine/features/horizonBuckets.ts';
import type { ModelManifest } from '../../engine/model/ModelManifest.ts';
import { suitableTicks } from '../../engine/model/suitableTicks.ts';
import { sampleRequest } from '../../ticks/sampleRequest.ts';
import { Failure } from '../service/failureText.ts';
import type { Service } from '../service/Service.ts';

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
    ready: () => Promise.resolve({ model: id, backend: 'this page' }),
    defaultModel: () => Promise.resolve({ density: { medianGapMs: [fromS * 1000, toS * 1000] }, neverMarks, windowTicks }),
    versions: () => Promise.resolve([{ id, isDefault: true, mostHorizonToWindow: trained.horizonToWindow[1], windowTicks, cuts }]),
    sample: () => Promise.resolve(sampleRequest()),
    ...{ versionFiles: refused, forecast: refused, sampleForecast: refused },
    ...{
      signIn: refused,
      linkSession: refused,
      sessions: refused,
      endSession: refused,
      signUp: refused,
      listKeys: refused,
      issueKey: refused,
      revokeKey: refused,
      me: refused,
      ownerOf: refused,
    },
    ...{ trackRecord: refused, sealedRecord: refused },
    ...{ markets: refused, addMarket: refused, changeMarket: refused, removeMarket: refused, marketForecasts: refused },
    limits: () => Promise.resolve([]),
    ...{
      listWebhooks: refused,
      addWebhook: refused,
      testWebhook: refused,
      failedAlerts: refused,
      changeWebhook: refused,
      removeWebhook: refused,
    },
    live: () => {
      throw none();
    },
  };
}
