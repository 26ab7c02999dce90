import type { IndexAnswer, LiveAnswer } from '../contract/health.ts';
import type { MeAnswer } from '../contract/me.ts';
import { openApi } from '../contract/openApi.ts';
import type { ReadQuery } from '../contract/query.ts';
import type { RouteName } from '../contract/routes.ts';
import { SIGNUP_MESSAGE, type SignupAnswer } from '../contract/signup.ts';
import { writeForecastAnswer } from '../contract/writeForecastAnswer.ts';
import { ServiceError, shown } from '../core/ServiceError.ts';
import type { Caller, HttpDeps, HttpOptions, HttpParts } from './HttpParts.ts';

/** One request as a handler sees it: media type, key and query are already checked where the route asks for them. */
export type Call = {
  readonly query: ReadQuery;
  readonly params: Readonly<Record<string, string>>;
  /** Set where the route needs a key. */
  readonly caller: Caller | undefined;
  /** Throws ServiceError `service.not_ready` until the parts are loaded. */
  readonly parts: () => HttpParts;
  /** Reads and parses the body; each handler checks it against its schema. */
  readonly body: () => Promise<unknown>;
};

/** Gives the text of the JSON answer. */
export type Handler = (call: Call) => string | Promise<string>;

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function meAnswer(caller: Caller): MeAnswer {
  return {
    email: caller.email,
    company_id: caller.companyId,
    key: {
      id: caller.keyId,
      prefix: caller.keyPrefix,
      name: caller.keyName,
      created_at: isoTime(caller.keyCreatedAtMs),
      expires_at: caller.keyExpiresAtMs === null ? null : isoTime(caller.keyExpiresAtMs),
    },
  };
}

/** The sample's full answer, computed once for each default model. A failure is not kept. */
function sampleForecasts(): (parts: HttpParts) => Promise<string> {
  let kept: { readonly model: string; readonly answer: Promise<string> } | undefined;
  return (parts) => {
    const { default: id, models } = parts.models.list();
    // Of its making too: a version may be made anew under its name.
    const model = `${id} ${models.find((other) => other.id === id)?.created_at ?? ''}`;
    if (kept?.model === model) return kept.answer;
    const answer = parts
      .forecast(parts.sample, { detail: true })
      .then(({ timestamps, mark, detail }) => writeForecastAnswer(timestamps, mark, detail));
    kept = { model, answer };
    answer.catch(() => {
      if (kept?.answer === answer) kept = undefined;
    });
    return answer;
  };
}

/** One handler for each row of the route table. */
export function createHandlers(deps: HttpDeps, options: HttpOptions): Record<RouteName, Handler> {
  const sampleForecast = sampleForecasts();
  const document = JSON.stringify(openApi(options.version));
  const index: IndexAnswer = {
    name: 'tickmark',
    version: options.version,
    next: [
      'GET /sample/forecast shows a full answer without a key.',
      'POST /signup with e-mail and password gives an API key, once.',
      'POST /auth/ti-tick with the header Api-Key and the body of GET /sample asks for a forecast.',
      'GET /openapi.json describes every route.',
    ],
  };
  const live: LiveAnswer = { status: 'live' };
  return {
    index: () => JSON.stringify(index),
    live: () => JSON.stringify(live),
    openApi: () => document,
    ready: ({ parts }) => {
      if (deps.state.phase !== 'ready') throw new ServiceError('service.not_ready', `The service is ${deps.state.phase}.`);
      return JSON.stringify(parts().ready);
    },
    signUp: async ({ parts, body }) => {
      const request = deps.checks.signup(await body());
      const { email, apiKey } = await parts().signUp({
        email: request.email,
        password: request.password,
        confirmPassword: request.confirm_password,
        ...(request.company_id === undefined ? {} : { companyId: request.company_id }),
      });
      const answer: SignupAnswer = { message: SIGNUP_MESSAGE, email, api_key: apiKey };
      return JSON.stringify(answer);
    },
    tickForecast: async ({ parts, body, query }) => {
      const request = deps.checks.tickRequest(await body());
      const { timestamps, mark, detail } = await parts().forecast(request, query);
      return writeForecastAnswer(timestamps, mark, detail);
    },
    me: ({ caller }) => JSON.stringify(meAnswer(caller as Caller)),
    modelList: ({ parts }) => JSON.stringify(parts().models.list()),
    model: ({ parts, params }) => {
      const id = params['id'] ?? '';
      const model = parts().models.find(id);
      if (model === undefined) throw new ServiceError('model.unknown', `No model ${shown(id)} is loaded.`);
      return JSON.stringify(model);
    },
    ruleSetList: ({ parts }) => JSON.stringify(parts().rules.list()),
    ruleSet: ({ parts, params }) => {
      const id = params['id'] ?? '';
      const ruleSet = parts().rules.find(id);
      if (ruleSet === undefined) throw new ServiceError('rules.unknown', `No rule set ${shown(id)} is loaded.`);
      return JSON.stringify(ruleSet);
    },
    sample: ({ parts }) => JSON.stringify(parts().sample),
    sampleForecast: ({ parts }) => sampleForecast(parts()),
  };
}
