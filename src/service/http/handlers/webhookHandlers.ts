import type { Delivery, Webhook } from '../../alerts/Webhook.ts';
import type { BodyChecks } from '../../../contract/compileBodyChecks.ts';
import type { WEBHOOK_ROUTES } from '../../../contract/webhookRoutes.ts';
import {
  WEBHOOK_MESSAGE,
  type AddedWebhookAnswer,
  type FailedAlertsAnswer,
  type WebhookAnswer,
  type WebhookListAnswer,
  type WebhookTestAnswer,
} from '../../../contract/webhooks.ts';
import { parseJsonBody } from '../parseJsonBody.ts';
import type { RequestContext } from '../RequestContext.ts';
import { byOwner, present } from './ownerOf.ts';

const isoTime = (ms: number): string => new Date(ms).toISOString();

function webhookAnswer({ id, url, events, createdAtMs, rule, format, chatId }: Webhook): WebhookAnswer {
  return { id, url, events: [...events], created_at: isoTime(createdAtMs), rule, format, chat_id: chatId };
}

function failedAnswer({ id, type, createdAtMs, failedAtMs, attempts, error }: Delivery): FailedAlertsAnswer['failed'][number] {
  return { id, type, created_at: isoTime(createdAtMs), failed_at: isoTime(failedAtMs ?? createdAtMs), attempts, error };
}

const idOf = ({ params }: RequestContext): string => params['id'] ?? '';

const withChat = <Body extends { readonly chat_id?: string }>({ chat_id: chatId, ...given }: Body) => ({
  ...given,
  ...(chatId !== undefined && { chatId }),
});

/** The handlers of the targets of alerts. */
export function webhookHandlers(
  checks: Pick<BodyChecks, 'webhookRequest' | 'webhookChange'>,
): Record<keyof typeof WEBHOOK_ROUTES, (request: RequestContext) => string | Promise<string>> {
  return {
    webhookList: ({ owner }) => {
      const answer: WebhookListAnswer = { webhooks: (present(owner).webhooks ?? []).map(webhookAnswer) };
      return JSON.stringify(answer);
    },
    addWebhook: async (request) => {
      const wanted = withChat(checks.webhookRequest(parseJsonBody(await request.bytes())));
      const added = await request.parts.webhooks.add(present(request.owner).id, wanted, byOwner(request));
      const answer: AddedWebhookAnswer = { message: WEBHOOK_MESSAGE, ...webhookAnswer(added), secret: added.secret };
      return JSON.stringify(answer);
    },
    testWebhook: async (request) => {
      const { status, error } = await request.parts.webhooks.test(present(request.owner), idOf(request));
      const answer: WebhookTestAnswer = { delivered: error === null, status, error };
      return JSON.stringify(answer);
    },
    failedAlerts: async (request) => {
      const failed = await request.parts.webhooks.failed(present(request.owner), idOf(request));
      const answer: FailedAlertsAnswer = { failed: failed.map(failedAnswer) };
      return JSON.stringify(answer);
    },
    changeWebhook: async (request) => {
      const change = withChat(checks.webhookChange(parseJsonBody(await request.bytes())));
      return JSON.stringify(
        webhookAnswer(await request.parts.webhooks.change(present(request.owner).id, idOf(request), change, byOwner(request))),
      );
    },
    removeWebhook: async (request) => {
      const removed = await request.parts.webhooks.remove(present(request.owner).id, idOf(request), byOwner(request));
      return JSON.stringify(webhookAnswer(removed));
    },
  };
}
