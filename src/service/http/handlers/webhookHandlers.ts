import type { Delivery, Webhook } from '../../alerts/Webhook.ts';
import type { BodyChecks } from '../../../contract/compileBodyChecks.ts';
import type { WEBHOOK_ROUTES } from '../../../contract/webhookRoutes.ts';
import { WEBHOOK_MESSAGE, type FailedAlertsAnswer, type WebhookAnswer } from '../../../contract/webhooks.ts';
import { parseJsonBody } from '../parseJsonBody.ts';
import { byOwner, type Handlers, idOf, isoTime, present } from './handlerParts.ts';

function webhookAnswer({ id, url, events, createdAtMs, rule, format, chatId }: Webhook): WebhookAnswer {
  return { id, url, events: [...events], created_at: isoTime(createdAtMs), rule, format, chat_id: chatId };
}

function failedAnswer({ id, type, createdAtMs, failedAtMs, attempts, error }: Delivery): FailedAlertsAnswer['failed'][number] {
  return { id, type, created_at: isoTime(createdAtMs), failed_at: isoTime(failedAtMs ?? createdAtMs), attempts, error };
}

const withChat = <Body extends { readonly chat_id?: string }>({ chat_id: chatId, ...given }: Body) => ({
  ...given,
  ...(chatId !== undefined && { chatId }),
});

/** The handlers of the targets of alerts. */
export function webhookHandlers(checks: Pick<BodyChecks, 'webhookRequest' | 'webhookChange'>): Handlers<typeof WEBHOOK_ROUTES> {
  return {
    webhookList: ({ owner }) => ({ webhooks: (present(owner).webhooks ?? []).map(webhookAnswer) }),
    addWebhook: async (request) => {
      const wanted = withChat(checks.webhookRequest(parseJsonBody(await request.bytes())));
      const added = await request.parts.webhooks.add(present(request.owner).id, wanted, byOwner(request));
      return { message: WEBHOOK_MESSAGE, ...webhookAnswer(added), secret: added.secret };
    },
    testWebhook: async (request) => {
      const { status, error } = await request.parts.webhooks.test(present(request.owner), idOf(request));
      return { delivered: error === null, status, error };
    },
    failedAlerts: async (request) => {
      const failed = await request.parts.webhooks.failed(present(request.owner), idOf(request));
      return { failed: failed.map(failedAnswer) };
    },
    changeWebhook: async (request) => {
      const change = withChat(checks.webhookChange(parseJsonBody(await request.bytes())));
      return webhookAnswer(await request.parts.webhooks.change(present(request.owner).id, idOf(request), change, byOwner(request)));
    },
    removeWebhook: async (request) => {
      return webhookAnswer(await request.parts.webhooks.remove(present(request.owner).id, idOf(request), byOwner(request)));
    },
  };
}
