import { isSession, sessionsOf } from '../../accounts/accountKeys.ts';
import { emailKeyOf, LOCAL_EMAIL } from '../../accounts/accountRules.ts';
import type { StoredKey } from '../../accounts/AccountStore.ts';
import type { SessionAnswer } from '../../../contract/account.ts';
import type { SESSION_ROUTES } from '../../../contract/sessionRoutes.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import { KEY_CHALLENGE, passwordRefused } from '../failures.ts';
import type { HttpDeps } from '../HttpParts.ts';
import { parseJsonBody } from '../parseJsonBody.ts';
import type { RequestContext } from '../RequestContext.ts';
import { byOwner, type Handlers, isoTime, present } from './handlerParts.ts';

function sessionAnswer(session: StoredKey, email: string, currentId: string | undefined): SessionAnswer {
  const { id, name, createdAtMs, lastUsedAtMs, expiresAtMs } = session;
  return {
    ...{ id, name, email, created_at: isoTime(createdAtMs), last_used_at: lastUsedAtMs === null ? null : isoTime(lastUsedAtMs) },
    ...{ expires_at: isoTime(expiresAtMs ?? createdAtMs), is_current: id === currentId },
  };
}

async function start(
  request: RequestContext,
  account: { readonly id: string; readonly email: string },
  name?: string,
): Promise<SessionAnswer> {
  const { token, session } = await request.parts.keys.startSession(account.id, name, byOwner(request));
  request.setSession(token);
  return sessionAnswer(session, account.email, session.id);
}

/** The handlers of the sessions of browsers. */
export function sessionHandlers({ checks, clock }: Pick<HttpDeps, 'checks' | 'clock'>): Handlers<typeof SESSION_ROUTES> {
  return {
    signIn: async (request) => {
      request.checkNoOtherPage();
      const { name, ...credentials } = checks.sessionRequest(parseJsonBody(await request.bytes()));
      // No one knows the password of the account of the console link, unless an earlier release let them choose it.
      const isLocal = emailKeyOf(credentials.email) === LOCAL_EMAIL;
      const account = isLocal ? undefined : await request.parts.login(credentials, request.loginOrigin);
      if (account === undefined) throw passwordRefused(KEY_CHALLENGE);
      return start(request, account, name);
    },
    linkSession: (request) => {
      request.checkNoOtherPage();
      const { accountId, email, keyPrefix } = present(request.caller);
      // A key of another account may forecast; a session may change the account.
      if (email !== LOCAL_EMAIL || isSession({ prefix: keyPrefix }))
        throw new ServiceError('session.link_refused', 'Only the key of the console link starts a session.');
      return start(request, { id: accountId, email }, 'console link');
    },
    sessionList: ({ owner, caller }) => {
      const account = present(owner);
      const sessions = sessionsOf(account, clock.nowMs()).map((session) => sessionAnswer(session, account.email, caller?.keyId));
      return { sessions };
    },
    endSession: async (request) => {
      const { id, email } = present(request.owner);
      const { caller, params } = request;
      const wanted = params['id'] === 'current' ? caller?.keyId : params['id'];
      const ended = await request.parts.keys.endSession(id, wanted ?? '', byOwner(request));
      if (ended.id === caller?.keyId) request.setSession(null);
      return sessionAnswer(ended, email, caller?.keyId);
    },
  };
}
