import { randomBytes, randomUUID } from 'node:crypto';
import { urlFault } from '../alerts/addressRules.ts';
import { targetUrl } from '../alerts/alertMessage.ts';
import { sendAlert } from '../alerts/DeliveryWorker.ts';
import { secretOf } from '../alerts/signWebhook.ts';
import { alertBody } from '../alerts/AlertQueue.ts';
import type { PostResult } from '../alerts/postWebhook.ts';
import { ALERT_TYPES, MOST_WEBHOOKS, TEST_TYPE, type AlertType, type Delivery, type Webhook } from '../alerts/Webhook.ts';
import type { AlertRule } from '../../contract/alertRule.ts';
import type { Clock } from '../../core/Clock.ts';
import { fieldProblem, invalidRequest, quoteValue, ServiceError, type FieldProblem } from '../../core/ServiceError.ts';
import { unknownAccount } from './AccountService.ts';
import type { Account, AccountChange, AccountStore } from './AccountStore.ts';
import { auditEvent, type Origin } from './AuditEvent.ts';

const SECRET_BYTES = 32;

export type WebhookRequest = Pick<Webhook, 'rule' | 'format' | 'chatId'> & { readonly url: string; readonly events?: readonly string[] };

/** What is left out stays; `rule` null: none. */
type WebhookChange = Partial<Omit<WebhookRequest, 'rule'>> & { readonly rule?: AlertRule | null };

export type WebhookServiceDeps = {
  readonly store: AccountStore;
  readonly clock: Clock;
  /** Whether targets may have private addresses, and http. */
  readonly allowsPrivate: boolean;
  readonly post: (url: string, headers: Readonly<Record<string, string>>, body: string) => Promise<PostResult>;
  /** Called with the id of every account whose targets have changed. */
  readonly onChange?: (accountId: string) => void;
};

/** Adds, changes, removes and tests the targets of alerts. Every method throws `account.unknown`, `store.unavailable`. */
export class WebhookService {
  readonly #deps: WebhookServiceDeps;

  constructor(deps: WebhookServiceDeps) {
    this.#deps = deps;
  }

  /** The result has the secret, which no other call returns. Throws ServiceError `request.invalid`, `account.too_many_webhooks`. */
  async add(accountId: string, { url, events = ALERT_TYPES, ...options }: WebhookRequest, origin: Origin): Promise<Webhook> {
    const { clock } = this.#deps;
    this.#check({ url, events, ...options });
    const nowMs = clock.nowMs();
    const webhook: Webhook = {
      ...{ id: randomUUID(), url: targetUrl(options.format, url), secret: secretOf(randomBytes(SECRET_BYTES)) },
      ...{ events: events as readonly AlertType[], createdAtMs: nowMs, recordIsWorse: false, ...options },
    };
    await this.#change(accountId, (account) => {
      const { webhooks = [] } = account;
      if (webhooks.length >= MOST_WEBHOOKS) {
        throw new ServiceError(
          'account.too_many_webhooks',
          `The account has ${webhooks.length} webhooks; at most ${MOST_WEBHOOKS} are allowed.`,
        );
      }
      return {
        account: { ...account, webhooks: [...webhooks, webhook] },
        event: auditEvent('webhook.added', origin, accountId, nowMs, webhook.id),
      };
    });
    return webhook;
  }

  /** Changes all of a target but its secret; a chat goes with the format that it belongs to. Throws ServiceError `request.invalid`, `webhook.unknown`. */
  async change(accountId: string, id: string, { rule: toRule, ...given }: WebhookChange, origin: Origin): Promise<Webhook> {
    let changed: Webhook | undefined;
    await this.#change(accountId, (account) => {
      const { rule: ruleBefore, chatId: chatBefore, ...before } = find(account, id);
      const { chatId = chatBefore, ...to } = { ...before, ...given } as Webhook;
      const rule = toRule === undefined ? ruleBefore : toRule;
      const isChat = to.format === 'telegram' || given.chatId !== undefined;
      const webhook = { ...to, ...(rule && { rule }), ...(isChat && chatId !== undefined && { chatId }) };
      this.#check(webhook);
      changed = { ...webhook, url: targetUrl(webhook.format, webhook.url) };
      return {
        account: { ...account, webhooks: account.webhooks!.map((one) => (one.id === id ? changed! : one)) },
        event: auditEvent('webhook.changed', origin, accountId, this.#deps.clock.nowMs(), id),
      };
    });
    return changed!;
  }

  /** Removes a target with its undelivered alerts. Throws `webhook.unknown`. */
  async remove(accountId: string, id: string, origin: Origin): Promise<Webhook> {
    const { clock, store } = this.#deps;
    let removed: Webhook | undefined;
    await this.#change(accountId, (account) => {
      removed = find(account, id);
      return {
        account: { ...account, webhooks: (account.webhooks ?? []).filter((webhook) => webhook.id !== id) },
        event: auditEvent('webhook.removed', origin, accountId, clock.nowMs(), id),
      };
    });
    await store.dropDeliveries(id);
    return removed as Webhook;
  }

  /** Sends a test alert now, once. Throws `webhook.unknown`. */
  async test(account: Account, id: string): Promise<PostResult> {
    const body = alertBody(TEST_TYPE, this.#deps.clock.nowMs(), { message: 'A test of tickmark: alerts arrive here.' });
    return sendAlert(find(account, id), `msg_${randomUUID()}`, body, this.#deps);
  }

  /** The alerts that were given up, newest first. Throws `webhook.unknown`. */
  async failed(account: Account, id: string): Promise<readonly Delivery[]> {
    find(account, id);
    return this.#deps.store.listFailed(id);
  }

  #check({ url, events, ...options }: Required<Pick<WebhookRequest, 'url' | 'events'>> & WebhookRequest): void {
    const fault = urlFault(url, this.#deps.allowsPrivate);
    const problems = [
      ...(fault === undefined ? [] : [fieldProblem('/url', 'webhook.url_refused', `url ${fault}.`)]),
      ...eventProblems(events),
      ...chatProblems(options),
    ];
    if (problems.length > 0) throw invalidRequest(problems);
  }

  async #change(accountId: string, change: (account: Account) => AccountChange | undefined): Promise<void> {
    const account = await this.#deps.store.changeAccount(accountId, change);
    this.#deps.onChange?.(accountId);
    if (account === undefined) throw unknownAccount();
  }
}

function find({ webhooks = [] }: Account, id: string): Webhook {
  const found = webhooks.find((webhook) => webhook.id === id);
  if (found === undefined) throw new ServiceError('webhook.unknown', 'The account has no webhook with this id.');
  return found;
}

/** A message to Telegram names its chat, and no other message does. */
function chatProblems({ format, chatId }: Pick<WebhookRequest, 'format' | 'chatId'>): FieldProblem[] {
  if ((format === 'telegram') === (chatId !== undefined)) return [];
  const detail = 'chat_id must be sent with the format telegram, and only with it.';
  return [fieldProblem('/chat_id', chatId === undefined ? 'field.missing' : 'field.unknown', detail)];
}

function eventProblems(events: readonly string[]): FieldProblem[] {
  if (events.length === 0) return [fieldProblem('/events', 'webhook.event_unknown', 'events has no entries.')];
  const wrong = events.findIndex((event, i) => !(ALERT_TYPES as readonly string[]).includes(event) || events.indexOf(event) !== i);
  if (wrong < 0) return [];
  const detail = `events[${wrong}] is ${quoteValue(events[wrong])}; it must be one of ${ALERT_TYPES.join(', ')}, each once.`;
  return [fieldProblem(`/events/${wrong}`, 'webhook.event_unknown', detail)];
}
