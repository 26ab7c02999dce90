import { createHmac } from 'node:crypto';

/** Of the Standard Webhooks specification: the prefix of a secret, before base64. */
const SECRET_PREFIX = 'whsec_';

/** A secret of 24 random bytes or more. */
export function secretOf(random: Buffer): string {
  return SECRET_PREFIX + random.toString('base64');
}

/** The header fields of an alert (standardwebhooks.com): the id, the time of this attempt and the signature of both with the body. */
export function signWebhook(secret: string, id: string, nowMs: number, body: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
