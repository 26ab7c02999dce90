import { connectToPage, type PageLive } from '../live/connectToPage.ts';
import type { Served } from '../replay/askEngine.ts';
import type { EngineOrder, PageAnswer } from '../worker/replayMessages.ts';
import { Failure } from './failureText.ts';
import { ForecastWorker } from './ForecastWorker.ts';
import type { Service } from './clientService.ts';
import type { Forecast, Version } from './Service.ts';

/** A service, and the engine of the page that answers in its place. */
export type PageService = Service & {
  /** The version that answers in place of the default one; null: the default one. */
  readonly chosen: string | null;
  /** Fetches the files of a version, which then answers; null: the default one does again. Rejects with Failure; nothing changes then. */
  choose(id: string | null, key: string | null): Promise<void>;
  /** Who answers: the engine of the page with the chosen version, if it can. */
  engineOrder(): EngineOrder;
  /** The same of another version, whose files are fetched; by the service, if that is impossible. */
  orderOf(id: string, key: string | null): Promise<EngineOrder>;
  /** A live connection to the engine of the page; null where the service has to answer. */
  pageLive(): Promise<PageLive | null>;
};

/** The code of a forecast that the page cannot compute, without a key for the service. */
export const NEEDS_KEY = 'page.needs_key';

const isSame = (a: Served | null, b: Served | null): boolean =>
  a !== null && b !== null && a !== 'any' && b !== 'any' && a.model === b.model && a.ruleset === b.ruleset;

/**
 * Forecasts are computed by the page where its engine gives the answers of the service: nothing is sent, and no key is needed. Else the service is asked.
 * With a key, the default version is fetched if the page contains another one. `served`: any where there is no service; left out: what answered the sample, which is asked again when the service has another version or was away.
 */
export function pageService(
  service: Service,
  { workerUrl, engineUrl, ...known }: { readonly workerUrl: string; readonly engineUrl: string; readonly served?: Served },
): PageService {
  const worker = new ForecastWorker(workerUrl);
  let served: Served | null = known.served ?? null;
  let wasAway = false;
  const note = ({ detail: { model, ruleset } }: Forecast): void => {
    if (served !== 'any') served = { model: model.id, ruleset: ruleset.hash };
  };
  let chosen: EngineOrder | undefined;
  /** The default version, where the page contains another one. */
  let fetched: EngineOrder | undefined;
  /** Defaults that were fetched or are on their way. */
  const tried = new Set<string>();
  const engineOrder = (): EngineOrder =>
    chosen ?? (fetched !== undefined && isSame(fetched.served, served) ? fetched : { engineUrl, served });
  const fetchVersion = async (id: string, key: string): Promise<EngineOrder> => {
    const { ruleset, files } = await service.versionFiles(id, key);
    return { engineUrl, served: { model: id, ruleset: ruleset.hash }, files };
  };
  /** Whether the default version was fetched now: a failure leaves the answer to the service. */
  const fetchDefault = async (key: string): Promise<boolean> => {
    if (chosen !== undefined || served === null || served === 'any') return false;
    const wanted = `${served.model} ${served.ruleset}`;
    if (tried.has(wanted)) return false;
    tried.add(wanted);
    try {
      fetched = await fetchVersion(served.model, key);
      return true;
    } catch {
      tried.delete(wanted);
      return false;
    }
  };
  let versions: Promise<readonly Version[]> | undefined;
  const sampleForecast = async (): Promise<Forecast> => {
    const forecast = await service.sampleForecast();
    note(forecast);
    return forecast;
  };
  return {
    ...service,
    get chosen() {
      return chosen?.model ?? null;
    },
    async choose(id, key) {
      chosen = id === null ? undefined : { ...(await fetchVersion(id, key ?? '')), model: id };
    },
    engineOrder,
    orderOf: (id, key) =>
      fetchVersion(id, key ?? '').then(
        (order) => ({ ...order, model: id }),
        () => ({ engineUrl, served: null, model: id }),
      ),
    pageLive: () => connectToPage(workerUrl, engineOrder()),
    sampleForecast,
    /** Asked once. */
    versions: () =>
      (versions ??= service.versions().catch((error: unknown) => {
        versions = undefined;
        throw error;
      })),
    async ready() {
      try {
        const ready = await service.ready();
        if (served !== null && served !== 'any' && (wasAway || served.model !== ready.model)) await sampleForecast();
        wasAway = false;
        return ready;
      } catch (error) {
        wasAway = true;
        throw error;
      }
    },
    async forecast(window, options) {
      const { key } = options;
      const ask = (): Promise<PageAnswer> => worker.forecast(window, options.options, engineOrder());
      let computed = await ask();
      if (computed === 'other_version' && key !== null && (await fetchDefault(key))) computed = await ask();
      if (computed !== null && computed !== 'other_version') return computed;
      if (served === 'any') throw new Failure('This browser cannot run the engine: it needs WebAssembly with SIMD.', { status: 422 });
      // The page could not load its engine: a service that is down is no reason to ask for a key.
      if (computed === null) await service.ready();
      if (key === null) throw new Failure('The page cannot compute this forecast.', { status: 401, code: NEEDS_KEY });
      const model = chosen?.model;
      const forecast = await service.forecast(window, { ...options, model });
      if (model === undefined) note(forecast);
      return forecast;
    },
  };
}
