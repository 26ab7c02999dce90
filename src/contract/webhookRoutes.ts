import { ALERT_RULE_EXAMPLE } from './alertRule.ts';
import { BODY_CODES, PASSWORD_CODES, type RouteSpec, ok, created } from './routeSpec.ts';
import * as webhooks from './webhooks.ts';

const BY_SESSION = { tag: 'Alerts', needsPassword: true, takesSession: true, query: [] } as const;

/** Targets of alerts. */
export const WEBHOOK_ROUTES = {
  webhookList: {
    ...BY_SESSION,
    method: 'GET',
    path: '/account/webhooks',
    summary: 'List the targets of alerts, without their secrets',
    answer: ok('Oldest first.', webhooks.WebhookListSchema, { webhooks: [webhooks.WEBHOOK_EXAMPLE] }),
    errors: PASSWORD_CODES,
  },
  addWebhook: {
    ...BY_SESSION,
    method: 'POST',
    path: '/account/webhooks',
    summary: 'Add a target of alerts and get its secret, once',
    description:
      'At most five of an account. Alerts are sent at least once, signed by the Standard Webhooks specification, ' +
      'and retried with growing delays (WEBHOOK_ATTEMPTS). Redirects are not followed; names may not lead to private addresses.',
    body: {
      schema: webhooks.WebhookRequestSchema,
      example: () => ({ url: webhooks.WEBHOOK_EXAMPLE.url, events: webhooks.WEBHOOK_EXAMPLE.events, rule: ALERT_RULE_EXAMPLE }),
      limit: 'account',
    },
    answer: created('The target; its secret is shown only in this answer.', webhooks.AddedWebhookSchema, {
      message: webhooks.WEBHOOK_MESSAGE,
      ...webhooks.WEBHOOK_EXAMPLE,
      secret: 'whsec_<shown once>',
    }),
    links: [
      { to: 'testWebhook', id: '/id' },
      { to: 'failedAlerts', id: '/id' },
      { to: 'removeWebhook', id: '/id' },
    ],
    errors: [...BODY_CODES, ...PASSWORD_CODES, 'account.too_many_webhooks'],
  },
  testWebhook: {
    ...BY_SESSION,
    method: 'POST',
    path: '/account/webhooks/{id}/test',
    idExample: webhooks.WEBHOOK_EXAMPLE.id,
    summary: 'Send a test alert now, once',
    answer: ok('What the target answered.', webhooks.WebhookTestSchema, {
      delivered: false,
      status: 302,
      error: 'status 302: redirects are not followed',
    }),
    errors: [...PASSWORD_CODES, 'webhook.unknown'],
  },
  failedAlerts: {
    ...BY_SESSION,
    method: 'GET',
    path: '/account/webhooks/{id}/failed',
    idExample: webhooks.WEBHOOK_EXAMPLE.id,
    summary: 'List the alerts of a target that were given up',
    answer: ok('Newest first, at most 100.', webhooks.FailedAlertsSchema, webhooks.FAILED_ALERTS_EXAMPLE),
    errors: [...PASSWORD_CODES, 'webhook.unknown'],
  },
  changeWebhook: {
    ...BY_SESSION,
    method: 'PATCH',
    path: '/account/webhooks/{id}',
    idExample: webhooks.WEBHOOK_EXAMPLE.id,
    summary: 'Change a target; its secret stays',
    body: { schema: webhooks.WebhookChangeSchema, example: () => ({ rule: ALERT_RULE_EXAMPLE }), limit: 'account' },
    answer: ok('The target as it is now.', webhooks.WebhookSchema, webhooks.WEBHOOK_EXAMPLE),
    errors: [...BODY_CODES, ...PASSWORD_CODES, 'webhook.unknown'],
  },
  removeWebhook: {
    ...BY_SESSION,
    method: 'DELETE',
    path: '/account/webhooks/{id}',
    idExample: webhooks.WEBHOOK_EXAMPLE.id,
    summary: 'Remove a target with its undelivered alerts',
    answer: ok('The target that was removed.', webhooks.WebhookSchema, webhooks.WEBHOOK_EXAMPLE),
    errors: [...PASSWORD_CODES, 'webhook.unknown'],
  },
} as const satisfies Record<string, RouteSpec>;
