import { MOST_FAILED, MOST_PENDING, type Claim, type Delivery, type DeliveryStore, type Settled } from '../alerts/Webhook.ts';
import type { Prepare, SqliteDatabase } from './SqliteDatabase.ts';

const COLUMNS = 'id, account_id, webhook_id, type, body, created_at_ms, attempts, next_at_ms, failed_at_ms, error';
type Row = Readonly<Record<string, string | number | null>>;

const toDelivery = (row: Row): Delivery => ({
  id: row['id'] as string,
  accountId: row['account_id'] as string,
  webhookId: row['webhook_id'] as string,
  type: row['type'] as Delivery['type'],
  body: row['body'] as string,
  createdAtMs: row['created_at_ms'] as number,
  attempts: row['attempts'] as number,
  error: row['error'] as string | null,
  failedAtMs: row['failed_at_ms'] as number | null,
});

export const sqliteDeliveries = ({ read, write }: SqliteDatabase): DeliveryStore => ({
  addDeliveries: (added) => write((prepare) => addDeliveries(prepare, added)),
  claimDeliveries: (claim) => write((prepare) => claimDeliveries(prepare, claim)),
  settleDeliveries: (settled) => write((prepare) => settleDeliveries(prepare, settled)),
  postponeDeliveries: (ids, nextAtMs) => write((prepare) => postponeDeliveries(prepare, ids, nextAtMs)),
  listFailed: (webhookId) => {
    const sql = `SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = ? AND failed_at_ms IS NOT NULL ORDER BY failed_at_ms DESC, id`;
    return read((prepare) => (prepare(sql).all(webhookId) as Row[]).map(toDelivery));
  },
  dropDeliveries: (webhookId) => write((prepare) => void prepare('DELETE FROM deliveries WHERE webhook_id = ?').run(webhookId)),
});

/** A delivery of an account that was deleted meanwhile is skipped. */
function addDeliveries(prepare: Prepare, deliveries: readonly Delivery[]): void {
  const sql = `INSERT INTO deliveries (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM accounts WHERE id = ?) ON CONFLICT DO NOTHING`;
  for (const { id, accountId, webhookId, type, body, createdAtMs, attempts, error } of deliveries)
    prepare(sql).run(id, accountId, webhookId, type, body, createdAtMs, attempts, createdAtMs, null, error, accountId);
  const newestMs = Math.max(...deliveries.map(({ createdAtMs }) => createdAtMs));
  for (const webhookId of new Set(deliveries.map((delivery) => delivery.webhookId))) {
    const excess = `SELECT id FROM deliveries WHERE webhook_id = ? AND failed_at_ms IS NULL ORDER BY created_at_ms DESC, id LIMIT -1 OFFSET ${MOST_PENDING}`;
    prepare(
      `UPDATE deliveries SET next_at_ms = NULL, failed_at_ms = ?, error = 'too many alerts were pending' WHERE id IN (${excess})`,
    ).run(newestMs, webhookId);
    trimFailed(prepare, webhookId);
  }
}

function trimFailed(prepare: Prepare, webhookId: string): void {
  const excess = `SELECT id FROM deliveries WHERE webhook_id = ? AND failed_at_ms IS NOT NULL ORDER BY failed_at_ms DESC, id LIMIT -1 OFFSET ${MOST_FAILED}`;
  prepare(`DELETE FROM deliveries WHERE id IN (${excess})`).run(webhookId);
}

function claimDeliveries(prepare: Prepare, { nowMs, untilMs, limit, busy, served }: Claim): Delivery[] {
  const without = (column: string, values: readonly string[]): string =>
    values.length === 0 ? '' : `AND ${column} NOT IN (${values.map(() => '?').join(', ')})`;
  const free = `${without('webhook_id', busy)} ${without('account_id', served)}`;
  const next = `SELECT webhook_id FROM deliveries WHERE next_at_ms <= ? ${free} ORDER BY next_at_ms LIMIT 1`;
  const row = prepare(next).get(nowMs, ...busy, ...served) as { webhook_id: string } | undefined;
  if (row === undefined) return [];
  const due = `SELECT ${COLUMNS} FROM deliveries WHERE webhook_id = ? AND next_at_ms <= ? ORDER BY created_at_ms, id LIMIT ?`;
  const rows = prepare(due).all(row.webhook_id, nowMs, limit) as Row[];
  postponeDeliveries(prepare, rows.map(({ id }) => id as string), untilMs); // prettier-ignore
  return rows.map(toDelivery);
}

function postponeDeliveries(prepare: Prepare, ids: readonly string[], nextAtMs: number): void {
  const postpone = prepare('UPDATE deliveries SET next_at_ms = ? WHERE id = ? AND failed_at_ms IS NULL');
  for (const id of ids) postpone.run(nextAtMs, id);
}

function settleDeliveries(prepare: Prepare, settled: readonly Settled[]): void {
  for (const one of settled) {
    if (one.result === 'delivered') prepare('DELETE FROM deliveries WHERE id = ?').run(one.id);
    else if (one.result === 'retry') {
      const sql = 'UPDATE deliveries SET attempts = attempts + 1, next_at_ms = ?, error = ? WHERE id = ?';
      prepare(sql).run(one.nextAtMs, one.error, one.id);
    } else {
      const sql = 'UPDATE deliveries SET attempts = attempts + 1, next_at_ms = NULL, failed_at_ms = ?, error = ? WHERE id = ?';
      prepare(sql).run(one.failedAtMs, one.error, one.id);
      const row = prepare('SELECT webhook_id FROM deliveries WHERE id = ?').get(one.id) as { webhook_id: string } | undefined;
      if (row !== undefined) trimFailed(prepare, row.webhook_id);
    }
  }
}
