import { openParts } from '../../../clients/engine/src/openParts.ts';
import type { TickForecast } from '../../engine/forecast/Forecaster.ts';
import { engineError } from '../../../clients/engine/src/readTicks.ts';
import type { Engine, VersionFiles } from '../../../clients/engine/src/api.ts';
import { usesMemory } from '../../engine/forecast/memoryAt.ts';
import { DeskConnection } from '../../engine/live/DeskConnection.ts';
import { spreadOf } from '../../ticks/parseTickRequest.ts';
import type { Forecast } from '../service/Service.ts';
import { futureUsOf, type Window } from '../ticks/readFuture.ts';
import type { FormOptions } from '../FormOptions.ts';

export type PageOptions = FormOptions & { readonly range?: readonly number[]; readonly counterfactual?: boolean };

/** The engine of the page: answers as the service does that serves this version with these rules. */
export type PageEngine = Pick<Engine, 'version' | 'ruleset'> & {
  /** The other end of a live connection, which `send` reads. Takes the messages of the connection as texts. */
  connect(send: (text: string) => void): (text: string) => void;
  /** As POST /auth/ti-tick with `detail=full`. Rejects with EngineError. */
  forecast(window: Window, options: PageOptions): Promise<Forecast>;
};

/** `files`: of another version than the shipped one. Rejects with EngineError `model.refused`. */
export async function openPageEngine(files?: VersionFiles): Promise<PageEngine> {
  try {
    const { folder, ruleset, forecaster } = await openParts(files === undefined ? {} : { version: files });
    return {
      ...{ version: folder.manifest.id, ruleset },
      connect(send) {
        let baseline: number | null = null;
        const desk = {
          usesMemory: usesMemory(folder),
          // Called before each message of a forecast.
          onForecast: (_series: unknown, _due: unknown, { summary }: TickForecast) => void (baseline = summary.baselineProbability),
          compute: (...asked: Parameters<typeof forecaster.forecast>) => forecaster.forecast(...asked),
        };
        const connection = new DeskConnection(desk, (message) =>
          send(JSON.stringify(message.type === 'forecast' ? { ...message, volatility_probability: baseline } : message)),
        );
        return (text) => connection.receive(text);
      },
      async forecast(window, options) {
        const { series } = window;
        const { quotes, bars } = series;
        const spread = quotes === undefined ? {} : spreadOf({ Bid: quotes.bids, Ask: quotes.asks }, series.timesUs.length);
        const request = { series, futureUs: futureUsOf(window), ...spread, bars };
        const { mark, detail } = await forecaster.forecast(request, { ...options, detail: true }).catch((error: unknown) => {
          throw engineError(error);
        });
        return { mark, detail: detail!, isOfPage: true };
      },
    };
  } catch (error) {
    throw engineError(error);
  }
}
