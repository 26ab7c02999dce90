import type { Webhook } from './Webhook.ts';

type Alert = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };

/** What is sent for an alert. */
export type AlertMessage = { readonly body: string; readonly contentType: string };

const JSON_TYPE = 'application/json';

/** The stored body of an alert in the form of its target. */
export function alertMessage({ format = 'json', chatId }: Pick<Webhook, 'format' | 'chatId'>, body: string): AlertMessage {
  if (format === 'json') return { body, contentType: JSON_TYPE };
  const text = alertWords(JSON.parse(body) as Alert);
  if (format === 'ntfy') return { body: text, contentType: 'text/plain; charset=utf-8' };
  const message = { telegram: { chat_id: chatId, text }, slack: { text }, discord: { content: text } }[format];
  return { body: JSON.stringify(message), contentType: JSON_TYPE };
}

/** The URL that a target is stored with: a bot of Telegram is asked to send a message. */
export function targetUrl(format: Webhook['format'], url: string): string {
  const { href } = new URL(url);
  return format !== 'telegram' || href.endsWith('/sendMessage') ? href : `${href.replace(/\/$/, '')}/sendMessage`;
}

/** Whether an alert tells of a future that is past now: it is not sent. */
export function isOver(type: string, body: string, nowMs: number): boolean {
  if (type !== 'forecast.marked') return false;
  const { future } = (JSON.parse(body) as { data?: { future?: unknown } }).data ?? {};
  return typeof future === 'string' && Date.parse(`${future.replace(' ', 'T')}Z`) <= nowMs;
}

/** An alert in one or two sentences. */
function alertWords({ type, data }: Alert): string {
  const { series, text, message, future } = data;
  switch (type) {
    case 'forecast.marked':
      return `${String(series)}: ${String(text)}`;
    case 'forecast.settled': {
      const moveBps = Number(data['move_bps']);
      const signed = `${moveBps < 0 ? '-' : '+'}${Math.abs(moveBps).toFixed(2)}`;
      const outcome = data['moved'] === true ? 'came true' : 'did not come true';
      return `${String(series)}: the move by ${String(future)} UTC ${outcome}: ${signed} bps.`;
    }
    case 'record.worse': {
      const { from, outcomes, marks, hits } = data;
      return `The track record since ${String(from)} is worse than its baseline, or its ranges are too narrow: ${String(outcomes)} outcomes, ${String(hits)} of ${String(marks)} marks came true.`;
    }
    default:
      return String(message ?? type);
  }
}
