import type { Collection, Filter } from 'mongodb';
import { MOST_FAILED, MOST_PENDING, type Claim, type Delivery, type DeliveryStore, type Settled } from '../alerts/Webhook.ts';
import { insertNew, type MongoDatabase } from './MongoDatabase.ts';
import { DELIVERIES } from './mongoSchema.ts';

/** `nextAtMs`: when it is due; null: it was given up. */
type DeliveryDocument = Omit<Delivery, 'id'> & { readonly _id: string; readonly nextAtMs: number | null };

const toDelivery = ({ _id, nextAtMs: _nextAtMs, ...document }: DeliveryDocument): Delivery => ({ id: _id, ...document });

export function mongoDeliveries({ db, keepOf }: MongoDatabase): DeliveryStore {
  const collection = db.collection<DeliveryDocument>(DELIVERIES);
  return {
    addDeliveries: (added) => keepOf(added, () => addDeliveries(collection, added)),
    claimDeliveries: (claim) => claimDeliveries(collection, claim),
    settleDeliveries: (settled) => settleDeliveries(collection, settled),
    postponeDeliveries: async (ids, nextAtMs) =>
      void (await collection.updateMany({ _id: { $in: [...ids] }, failedAtMs: null }, { $set: { nextAtMs } })),
    listFailed: async (webhookId) => {
      const found = collection.find({ webhookId, failedAtMs: { $ne: null } });
      return (await found.sort({ failedAtMs: -1, _id: 1 }).toArray()).map(toDelivery);
    },
    dropDeliveries: async (webhookId) => void (await collection.deleteMany({ webhookId })),
  };
}

async function addDeliveries(collection: Collection<DeliveryDocument>, deliveries: readonly Delivery[]): Promise<void> {
  for (const { id, ...delivery } of deliveries) await insertNew(collection, { _id: id, ...delivery, nextAtMs: delivery.createdAtMs });
  const newestMs = Math.max(...deliveries.map(({ createdAtMs }) => createdAtMs));
  for (const webhookId of new Set(deliveries.map((delivery) => delivery.webhookId))) {
    const excess = await beyond(collection, { webhookId, failedAtMs: null }, { createdAtMs: -1 }, MOST_PENDING);
    if (excess.length === 0) continue;
    const change = { nextAtMs: null, failedAtMs: newestMs, error: 'too many alerts were pending' };
    await collection.updateMany({ _id: { $in: excess }, failedAtMs: null }, { $set: change });
    await trimFailed(collection, webhookId);
  }
}

async function trimFailed(collection: Collection<DeliveryDocument>, webhookId: string): Promise<void> {
  const excess = await beyond(collection, { webhookId, failedAtMs: { $ne: null } }, { failedAtMs: -1 }, MOST_FAILED);
  if (excess.length > 0) await collection.deleteMany({ _id: { $in: excess } });
}

/** Ids of those beyond the first `most`. */
async function beyond(
  collection: Collection<DeliveryDocument>,
  filter: Filter<DeliveryDocument>,
  order: Readonly<Record<string, 1 | -1>>,
  most: number,
): Promise<string[]> {
  const found = collection.find(filter, { projection: { _id: 1 } }).sort({ ...order, _id: 1 });
  return (await found.skip(most).toArray()).map(({ _id }) => _id);
}

async function claimDeliveries(
  collection: Collection<DeliveryDocument>,
  { nowMs, untilMs, limit, busy, served }: Claim,
): Promise<Delivery[]> {
  const isDue = { nextAtMs: { $ne: null, $lte: nowMs } };
  const [next] = await collection.find({ ...isDue, webhookId: { $nin: [...busy] }, accountId: { $nin: [...served] } }).sort({ nextAtMs: 1 }).limit(1).toArray(); // prettier-ignore
  if (next === undefined) return [];
  const due = await collection.find({ webhookId: next.webhookId, ...isDue }).sort({ createdAtMs: 1, _id: 1 }).limit(limit).toArray(); // prettier-ignore
  const claimed: Delivery[] = [];
  for (const document of due) {
    // Another process may have taken it since.
    const { modifiedCount } = await collection.updateOne(
      { _id: document._id, nextAtMs: document.nextAtMs },
      { $set: { nextAtMs: untilMs } },
    );
    if (modifiedCount === 1) claimed.push(toDelivery(document));
  }
  return claimed;
}

async function settleDeliveries(collection: Collection<DeliveryDocument>, settled: readonly Settled[]): Promise<void> {
  for (const one of settled) {
    if (one.result === 'delivered') await collection.deleteOne({ _id: one.id });
    else if (one.result === 'retry')
      await collection.updateOne({ _id: one.id }, { $inc: { attempts: 1 }, $set: { nextAtMs: one.nextAtMs, error: one.error } });
    else {
      const change = { nextAtMs: null, failedAtMs: one.failedAtMs, error: one.error };
      const given = await collection.findOneAndUpdate({ _id: one.id }, { $inc: { attempts: 1 }, $set: change });
      if (given !== null) await trimFailed(collection, given.webhookId);
    }
  }
}
