import { ALERT_RULE_EXAMPLE } from './alertRule.ts';
import { BODY_CODES, PASSWORD_CODES, type RouteSpec } from './routeSpec.ts';
import {
  ADDED_WEBHOOK_EXAMPLE,
  AddedWebhookSchema,
  FAILED_ALERTS_EXAMPLE,
  FailedAlertsSchema,
  WEBHOOK_EXAMPLE,
  WebhookListSchema,
  WebhookRequestSchema,
  WebhookSchema,
  WebhookTestSchema,
} from './webhooks.ts';

/** Targets of alerts. */
export const WEBHOOK_ROUTES = {
  webhookList: {
    method: 'GET',
    path: '/account/webhooks',
    tag: 'Alerts',
    summary: 'List the targets of alerts, without their secrets',
    needsPassword: true,
    takesSession: true,
    query: [],
    answer: { status: 200, description: 'Oldest first.', schema: WebhookListSchema, example: { webhooks: [WEBHOOK_EXAMPLE] } },
    errors: PASSWORD_CODES,
  },
  addWebhook: {
    method: 'POST',
    path: '/account/webhooks',
    tag: 'Alerts',
    summary: 'Add a target of alerts and get its secret, once',
    description:
      'At most five of an account. Alerts are sent at least once, signed by the Standard Webhooks specification, ' +
      'and retried with growing delays (WEBHOOK_ATTEMPTS). Redirects are not followed. Addresses that are not public, also of names, are refused.',
    needsPassword: true,
    takesSession: true,
    body: {
      schema: WebhookRequestSchema,
      example: () => ({ url: WEBHOOK_EXAMPLE.url, events: WEBHOOK_EXAMPLE.events, rule: ALERT_RULE_EXAMPLE }),
      limit: 'account',
    },
    query: [],
    answer: {
      status: 201,
      description: 'The target; its secret is shown only in this answer.',
      schema: AddedWebhookSchema,
      example: ADDED_WEBHOOK_EXAMPLE,
    },
    links: [
      { to: 'testWebhook', id: '/id' },
      { to: 'failedAlerts', id: '/id' },
      { to: 'removeWebhook', id: '/id' },
    ],
    errors: [...BODY_CODES, ...PASSWORD_CODES, 'account.too_many_webhooks'],
  },
  testWebhook: {
    method: 'POST',
    path: '/account/webhooks/{id}/test',
    tag: 'Alerts',
    idExample: WEBHOOK_EXAMPLE.id,
    summary: 'Send a test alert now, once',
    needsPassword: true,
    takesSession: true,
    query: [],
    answer: {
      status: 200,
      description: 'What the target answered.',
      schema: WebhookTestSchema,
      example: { delivered: false, status: 302, error: 'status 302: redirects are not followed' },
    },
    errors: [...PASSWORD_CODES, 'webhook.unknown'],
  },
  failedAlerts: {
    method: 'GET',
    path: '/account/webhooks/{id}/failed',
    tag: 'Alerts',
    idExample: WEBHOOK_EXAMPLE.id,
    summary: 'List the alerts of a target that were given up',
    needsPassword: true,
    takesSession: true,
    query: [],
    answer: { status: 200, description: 'Newest first, at most 100.', schema: FailedAlertsSchema, example: FAILED_ALERTS_EXAMPLE },
    errors: [...PASSWORD_CODES, 'webhook.unknown'],
  },
  removeWebhook: {
    method: 'DELETE',
    path: '/account/webhooks/{id}',
    tag: 'Alerts',
    idExample: WEBHOOK_EXAMPLE.id,
    summary: 'Remove a target with its undelivered alerts',
    needsPassword: true,
    takesSession: true,
    query: [],
    answer: { status: 200, description: 'The target that was removed.', schema: WebhookSchema, example: WEBHOOK_EXAMPLE },
    errors: [...PASSWORD_CODES, 'webhook.unknown'],
  },
} as const satisfies Record<string, RouteSpec>;
