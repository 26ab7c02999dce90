import { PASSWORD_CHANGED_MESSAGE, SIGNUP_MESSAGE } from '../../../contract/account.ts';
import { asyncApi, liveMessages } from '../../../contract/asyncApi.ts';
import { openApi } from '../../../contract/openApi.ts';
import { ROUTES } from '../../../contract/routes.ts';
import { apiKeysOf } from '../../accounts/accountKeys.ts';
import { nameOf } from '../../../engine/model/datedId.ts';
import { RANGE_LEVELS } from '../../../engine/memory/ranges.ts';
import { writeForecastAnswer } from '../../../contract/writeForecastAnswer.ts';
import { ServiceError, quoteValue } from '../../../core/ServiceError.ts';
import { parseTickRequest } from '../../../ticks/parseTickRequest.ts';
import { answerBatch } from './answerBatch.ts';
import { answerHorizons } from './answerHorizons.ts';
import { answerTicks } from './answerTicks.ts';
import { byOwner, type Handlers, idOf, present } from './handlerParts.ts';
import { marketHandlers } from './marketHandlers.ts';
import { sessionHandlers } from './sessionHandlers.ts';
import { webhookHandlers } from './webhookHandlers.ts';
import { writeTrackRecord } from './writeTrackRecord.ts';
import { issuedKeyAnswer, keyAnswer, meAnswer, rotatedKeyAnswer } from './accountAnswers.ts';
import type { HttpDeps, HttpOptions, HttpParts } from '../HttpParts.ts';
import { createDocs } from '../docs/createDocs.ts';
import { PAGE_HEADERS } from '../console/pagePolicy.ts';
import { writeLlms } from '../docs/writeLlms.ts';
import { parseJsonBody } from '../parseJsonBody.ts';
import type { RequestContext } from '../RequestContext.ts';

const json = async (request: RequestContext): Promise<unknown> => parseJsonBody(await request.bytes());

/** The full answer to the sample, computed once for each default model. Failures are not cached. */
function sampleForecasts(): (parts: HttpParts) => Promise<Buffer> {
  let kept: { readonly model: string; readonly answer: Promise<Buffer> } | undefined;
  return (parts) => {
    const { default: id, models } = parts.models.list();
    // Includes the creation time: a version may be created again with the same id.
    const model = `${id} ${models.find((other) => other.id === id)?.created_at ?? ''}`;
    if (kept?.model === model) return kept.answer;
    const { Timestamp, Price } = parts.sample;
    const answer = parts
      .forecast(parseTickRequest(Timestamp, Price), { detail: true, range: RANGE_LEVELS })
      .then(({ mark, detail, outlook }) =>
        Buffer.from(writeForecastAnswer(Timestamp, mark, { ...outlook, ...(detail === null ? {} : { detail }) })),
      );
    kept = { model, answer };
    answer.catch(() => {
      if (kept?.answer === answer) kept = undefined;
    });
    return answer;
  };
}

/** What `find` has of the version of a path. Throws ServiceError `model.unknown`. */
function loaded<T>(request: RequestContext, find: (id: string) => T | undefined): T {
  const id = idOf(request);
  const found = find(id);
  if (found === undefined) throw new ServiceError('model.unknown', `No model ${quoteValue(id)} is loaded.`);
  return found;
}

/** Made for the first request: a start takes a tenth less time. */
function onceAsked<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** One handler for each row of the route table. */
export function createHandlers(deps: HttpDeps, options: HttpOptions): Handlers<typeof ROUTES> {
  const sampleForecast = sampleForecasts();
  const document = onceAsked(() => Buffer.from(JSON.stringify(openApi(options.version))));
  const liveDocument = onceAsked(() => Buffer.from(JSON.stringify(asyncApi(options.version))));
  const docs = onceAsked(() =>
    createDocs({
      routes: Object.keys(ROUTES),
      messages: liveMessages(),
      settings: options.settingWords,
      files: options.console,
    }),
  );
  const docsPage = (request: RequestContext, name: string): Buffer => {
    const page = docs()(name);
    if (page === undefined) throw new ServiceError('route.not_found', `There is no page ${quoteValue(name)} under /docs.`);
    request.setHeaders(PAGE_HEADERS);
    return page;
  };
  const llms = onceAsked(() => Buffer.from(writeLlms()));
  return {
    index: () => ({
      name: 'tickmark',
      version: options.version,
      next: [
        'GET /sample/forecast shows a full answer and needs no key.',
        'POST /signup with e-mail and password creates an account and returns its API key, once.',
        'POST /auth/ti-tick with the header Api-Key and the body of GET /sample computes a forecast.',
        'GET /docs describes every route; GET /openapi.json does it for programs.',
      ],
    }),
    live: () => ({ status: 'live' }),
    openApi: document,
    asyncApi: liveDocument,
    docs: (request) => docsPage(request, ''),
    docsPage: (request) => docsPage(request, idOf(request)),
    llms,
    ready: (request) => {
      if (deps.state.phase !== 'ready') throw new ServiceError('service.not_ready', `The service is ${deps.state.phase}.`);
      const { parts } = request;
      if (!parts.isServing()) throw new ServiceError('service.not_ready', 'The inference process is restarting.');
      return parts.ready;
    },
    signUp: async (request) => {
      const { company_id: companyId, confirm_password: confirmPassword, email, password } = deps.checks.signup(await json(request));
      const { apiKey, ...account } = await request.parts.accounts.signUp(
        { email, password, confirmPassword, companyId },
        { ...byOwner(request), admit: () => request.takeRequestPermit() },
      );
      return { message: SIGNUP_MESSAGE, email: account.email, api_key: apiKey };
    },
    tickForecast: async (request) => {
      const body = await request.bytes();
      if (request.query.horizons !== undefined) return answerHorizons(body, deps, request);
      const { answer, stagesMs } = await answerTicks(body, deps, { request, takePermit: () => request.takeRequestPermit() });
      Object.assign(request.stagesMs, stagesMs);
      return answer;
    },
    tickBatch: (request) => answerBatch(deps, options, request),
    me: async (request) => {
      const caller = present(request.caller);
      request.setHeaders(await request.parts.limits.forecasts.look(caller));
      return meAnswer(caller);
    },
    trackRecord: async ({ parts, caller, query }) => {
      const { series, from, to } = query;
      const { model } = query.options;
      // An id that ends without a day is also the name of those that end with one.
      const isName = model !== undefined && nameOf(model) === model;
      const wanted = { ...(series && { series }), ...(!isName && model && { model }), ...(from && { from }), ...(to && { to }) };
      const rows = await parts.trackRecord.rows({ accountId: present(caller).accountId, ...wanted });
      return writeTrackRecord(parts.keepsTrackRecord, isName ? rows.filter((row) => nameOf(row.model) === model) : rows);
    },
    sealedRecord: async ({ parts, caller }) => {
      const { sealed } = parts.trackRecord;
      if (sealed === undefined)
        throw new ServiceError('route.not_found', 'This service seals no forecasts (TRACK_RECORD or TRACK_RECORD_SEALED_LINES).');
      const texts: string[] = [];
      for await (const text of sealed.record(present(caller).accountId)) texts.push(text);
      return texts.join('');
    },
    rotateKey: async ({ parts, caller, requestId }) => {
      const { accountId, keyId } = present(caller);
      return rotatedKeyAnswer(await parts.keys.rotate(accountId, keyId, { actor: 'key', requestId }));
    },
    ...sessionHandlers(deps),
    keyList: ({ owner }) => ({ keys: apiKeysOf(present(owner)).map((key) => keyAnswer(key, deps.clock.nowMs())) }),
    issueKey: async (request) => {
      const { name, expires_at: expiresAt } = deps.checks.keyRequest(await json(request));
      return issuedKeyAnswer(await request.parts.keys.issue(present(request.owner).id, { name, expiresAt }, byOwner(request)));
    },
    revokeKey: async (request) => {
      const { parts, owner } = request;
      return keyAnswer(await parts.keys.revoke(present(owner).id, idOf(request), byOwner(request)), deps.clock.nowMs());
    },
    changePassword: async (request) => {
      const { password, confirm_password: confirmPassword } = deps.checks.passwordRequest(await json(request));
      const { id, email } = present(request.owner);
      await request.parts.accounts.changePassword(id, { password, confirmPassword }, byOwner(request));
      return { message: PASSWORD_CHANGED_MESSAGE, email };
    },
    deleteAccount: async (request) => {
      const { id, email } = present(request.owner);
      await request.parts.accounts.delete(id, byOwner(request));
      return { message: 'The account and all its keys were deleted.', email };
    },
    ...webhookHandlers(deps.checks),
    ...marketHandlers(deps.checks),
    modelList: ({ parts }) => parts.models.list(),
    model: (request) => loaded(request, request.parts.models.find),
    modelFiles: (request) => loaded(request, request.parts.models.files),
    ruleSetList: ({ parts }) => parts.rules.list(),
    ruleSet: (request) => {
      const id = idOf(request);
      const ruleSet = request.parts.rules.find(id);
      if (ruleSet === undefined) throw new ServiceError('rules.unknown', `No rule set ${quoteValue(id)} is loaded.`);
      return ruleSet;
    },
    sample: ({ parts }) => parts.sample,
    sampleForecast: ({ parts }) => sampleForecast(parts),
  };
}
