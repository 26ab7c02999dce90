export type WebhookOptions = {
  /** Oldest attempt that counts, in seconds; default 300. */
  readonly maxAgeS?: number | undefined;
  /** Milliseconds since 1970; default those of the clock. */
  readonly nowMs?: number | undefined;
};

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Whether an alert is genuine: signed with the secret of its target (Standard Webhooks), by an attempt of the last five minutes. Compares in
 * constant time. A request without the headers of an alert is not genuine. `body`: as it arrived, before it is parsed.
 *
 * @throws RangeError for a secret that is none, and for a body that was parsed
 */
export async function verifyWebhook(
  secret: string,
  headers: HeaderSource,
  body: string | Uint8Array,
  { maxAgeS = 300, nowMs = Date.now() }: WebhookOptions = {},
): Promise<boolean> {
  const secretBytes = bytesOf(String(secret).replace(/^whsec_/, ''));
  if (secretBytes === undefined || secretBytes.length === 0)
    throw new RangeError('secret must be whsec_ and base64, as POST /account/webhooks returned it');
  if (typeof body !== 'string' && !ArrayBuffer.isView(body))
    throw new RangeError('body must be the bytes or the text of the request as it arrived, before it is parsed');
  const [id, sent, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`));
  if (!id || !sent || !signatures || !/^\d{1,12}$/.test(sent)) return false;
  if (Math.abs(nowMs / 1000 - Number(sent)) > maxAgeS) return false;
  const key = await crypto.subtle.importKey('raw', secretBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const head = new TextEncoder().encode(`${id}.${sent}.`);
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = new Uint8Array(head.length + content.length);
  signed.set(head);
  signed.set(content, head.length);
  const checks = signatures.split(' ').map(async (each) => {
    const signature = each.startsWith('v1,') ? bytesOf(each.slice(3)) : undefined;
    return signature !== undefined && crypto.subtle.verify('HMAC', key, signature, signed);
  });
  return (await Promise.all(checks)).includes(true);
}

function headerOf(headers: HeaderSource, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.[0];
}

/** Bytes of base64; undefined where it is none. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return undefined;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
