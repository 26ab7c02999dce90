import type { Account } from '../accounts/AccountStore.ts';
import type { Origin } from '../accounts/AuditEvent.ts';
import type { Identity } from '../accounts/KeyAuthenticator.ts';
import type { Turn } from '../accounts/limits/RateLimit.ts';
import type { MessageAnswer } from '../contract/account.ts';
import type { IndexAnswer, LiveAnswer } from '../contract/health.ts';
import { openApi } from '../contract/openApi.ts';
import type { ReadQuery } from '../contract/query.ts';
import type { RouteName } from '../contract/routes.ts';
import { SIGNUP_MESSAGE, type SignupAnswer } from '../contract/signup.ts';
import { writeForecastAnswer } from '../contract/writeForecastAnswer.ts';
import { ServiceError, shown } from '../core/ServiceError.ts';
import { parseTickRequest } from '../ticks/parseTickRequest.ts';
import { answerBatch } from './answerBatch.ts';
import { answerTicks } from './answerTicks.ts';
import { issuedKeyAnswer, keyAnswer, meAnswer, rotatedKeyAnswer } from './accountAnswers.ts';
import type { Asking, HttpDeps, HttpOptions, HttpParts } from './HttpParts.ts';
import type { ApiDocument } from './docs/ApiDocument.ts';
import { renderDocs } from './docs/renderDocs.ts';
import { writeLlms } from './docs/writeLlms.ts';
import { parseJsonBody } from './parseJsonBody.ts';

/** One request as a handler sees it: media type, key and query are already checked where the route asks for them. */
export type Call = {
  readonly query: ReadQuery;
  readonly params: Readonly<Record<string, string>>;
  /** Set where the route needs a key. */
  readonly caller: Identity | undefined;
  /** Set where the route needs a password. */
  readonly owner: Account | undefined;
  readonly requestId: string;
  /** Throws ServiceError `service.not_ready` until the parts are loaded. */
  readonly parts: () => HttpParts;
  /** Reads the body. */
  readonly bytes: () => Promise<Buffer>;
  /** Takes a turn of the route's limit; throws ServiceError `limit.exceeded`. It is given back where the request is refused later. */
  readonly admit: () => Promise<Turn>;
  /** What the stages of this request took, for the log; a handler adds its own. */
  readonly stagesMs: Record<string, number>;
  /** Runs a forecast when it is its turn; it is told who asks and until when. Throws as `AdmissionQueue.enter` does. */
  readonly inTurn: <T>(run: (asking: Asking) => Promise<T>) => Promise<T>;
  /** Takes a turn of the limit as `admit` does; the handler gives it back. */
  readonly take: () => Promise<Turn>;
  readonly setHeaders: (fields: Readonly<Record<string, string>>) => void;
};

/** Gives the JSON answer, as text or in UTF-8. */
export type Handler = (call: Call) => string | Buffer | Promise<string | Buffer>;

/** A route that needs a key or a password is not reached without. */
function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The route table lets this route be called by nobody.');
  return value;
}

const byOwner = (requestId: string): Origin => ({ actor: 'owner', requestId });

/** The sample's full answer, computed once for each default model. A failure is not kept. */
function sampleForecasts(): (parts: HttpParts) => Promise<Buffer> {
  let kept: { readonly model: string; readonly answer: Promise<Buffer> } | undefined;
  return (parts) => {
    const { default: id, models } = parts.models.list();
    // Of its making too: a version may be made anew under its name.
    const model = `${id} ${models.find((other) => other.id === id)?.created_at ?? ''}`;
    if (kept?.model === model) return kept.answer;
    const { Timestamp, Price } = parts.sample;
    const answer = parts
      .forecast(parseTickRequest(Timestamp, Price), { detail: true })
      .then(({ mark, detail }) => Buffer.from(writeForecastAnswer(Timestamp, mark, detail)));
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
  const described = openApi(options.version);
  const document = Buffer.from(JSON.stringify(described));
  const page = renderDocs(described as unknown as ApiDocument);
  const llms = Buffer.from(writeLlms());
  const index: IndexAnswer = {
    name: 'tickmark',
    version: options.version,
    next: [
      'GET /sample/forecast shows a full answer without a key.',
      'POST /signup with e-mail and password gives an API key, once.',
      'POST /auth/ti-tick with the header Api-Key and the body of GET /sample asks for a forecast.',
      'GET /docs describes every route, GET /openapi.json does so for programs.',
    ],
  };
  const live: LiveAnswer = { status: 'live' };
  return {
    index: () => JSON.stringify(index),
    live: () => JSON.stringify(live),
    openApi: () => document,
    docs: ({ setHeaders }) => {
      setHeaders({ 'Content-Security-Policy': page.policy });
      return page.html;
    },
    llms: () => llms,
    ready: ({ parts }) => {
      if (deps.state.phase !== 'ready') throw new ServiceError('service.not_ready', `The service is ${deps.state.phase}.`);
      if (!parts().isServing()) throw new ServiceError('service.not_ready', 'The network is being started again.');
      return JSON.stringify(parts().ready);
    },
    signUp: async ({ parts, bytes, requestId, admit }) => {
      const request = deps.checks.signup(parseJsonBody(await bytes()));
      const { email, apiKey } = await parts().accounts.signUp(
        {
          email: request.email,
          password: request.password,
          confirmPassword: request.confirm_password,
          ...(request.company_id === undefined ? {} : { companyId: request.company_id }),
        },
        { ...byOwner(requestId), admit },
      );
      const answer: SignupAnswer = { message: SIGNUP_MESSAGE, email, api_key: apiKey };
      return JSON.stringify(answer);
    },
    tickForecast: async (call) => {
      const body = await call.bytes();
      const { answer, stagesMs } = await call.inTurn((asking) => answerTicks(body, deps, { ...call, asking }));
      Object.assign(call.stagesMs, stagesMs);
      return answer;
    },
    tickBatch: (call) => answerBatch(deps, options, call),
    me: ({ caller }) => JSON.stringify(meAnswer(present(caller))),
    rotateKey: async ({ parts, caller, requestId }) => {
      const { accountId, keyId } = present(caller);
      return JSON.stringify(rotatedKeyAnswer(await parts().keys.rotate(accountId, keyId, { actor: 'key', requestId })));
    },
    keyList: ({ owner }) => JSON.stringify({ keys: present(owner).keys.map((key) => keyAnswer(key, deps.clock.nowMs())) }),
    issueKey: async ({ parts, owner, bytes, requestId }) => {
      const { name, expires_at: expiresAt } = deps.checks.keyRequest(parseJsonBody(await bytes()));
      const request = { ...(name === undefined ? {} : { name }), ...(expiresAt === undefined ? {} : { expiresAt }) };
      return JSON.stringify(issuedKeyAnswer(await parts().keys.issue(present(owner).id, request, byOwner(requestId))));
    },
    revokeKey: async ({ parts, owner, params, requestId }) => {
      const key = await parts().keys.revoke(present(owner).id, params['id'] ?? '', byOwner(requestId));
      return JSON.stringify(keyAnswer(key, deps.clock.nowMs()));
    },
    changePassword: async ({ parts, owner, bytes, requestId }) => {
      const { password, confirm_password: confirmPassword } = deps.checks.passwordRequest(parseJsonBody(await bytes()));
      const { id, email } = present(owner);
      await parts().accounts.changePassword(id, { password, confirmPassword }, byOwner(requestId));
      const answer: MessageAnswer = { message: 'The password was changed. The keys of the account stay as they are.', email };
      return JSON.stringify(answer);
    },
    deleteAccount: async ({ parts, owner, requestId }) => {
      const { id, email } = present(owner);
      await parts().accounts.delete(id, byOwner(requestId));
      const answer: MessageAnswer = { message: 'The account and all its keys were deleted.', email };
      return JSON.stringify(answer);
    },
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
