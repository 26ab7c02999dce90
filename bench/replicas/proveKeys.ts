import { ask } from '../serving/ask.ts';
import { pause } from './pause.ts';
import type { ProofContext, ProofResult } from './Proof.ts';
import { PASSWORD } from './ReplicaRig.ts';

const ASK_EVERY_MS = 50;
/** A try is given up after this time. */
const MOST_MS = 20_000;
const KINDS = ['revoked', 'rotated', 'deleted'] as const;

/** Sends a request as the owner; resolves to the status and the body. */
const asOwner = (port: number, method: string, path: string, email: string) =>
  ask(port, { path, method, headers: { Authorization: `Basic ${Buffer.from(`${email}:${PASSWORD}`).toString('base64')}` } });

/**
 * Revokes, rotates or deletes keys on the first replica while the others use them, and measures how long they accept them.
 * `keyCacheMs`: KEY_CACHE_MS of the replicas, whose keys have no time of grace after a rotation.
 */
export async function proveKeys({ rig, effort }: ProofContext, keyCacheMs: number): Promise<ProofResult> {
  const [first, ...others] = rig.replicas;
  const worst = { revoked: 0, rotated: 0, deleted: 0 };
  const attempt = async (at: number): Promise<void> => {
    const [kind, email] = [KINDS[at % 3], `key${at}@example.com`];
    const { key } = await rig.signUp(first!.port, email);
    for (const { port } of others) await ask(port, { path: '/auth/me', key });
    let changedMs = 0;
    const refused = others.map(async ({ port }) => {
      for (const endMs = performance.now() + MOST_MS; performance.now() < endMs; await pause(ASK_EVERY_MS)) {
        const startMs = performance.now();
        if ((await ask(port, { path: '/auth/me', key })).status === 401) return startMs;
      }
      return Infinity;
    });
    await pause(3 * ASK_EVERY_MS);
    if (kind === 'rotated') await ask(first!.port, { path: '/auth/keys/rotate', key, body: '' });
    else if (kind === 'deleted') await asOwner(first!.port, 'DELETE', '/account', email);
    else {
      const { keys } = JSON.parse((await asOwner(first!.port, 'GET', '/account/keys', email)).text) as { keys: { id: string }[] };
      await asOwner(first!.port, 'DELETE', `/account/keys/${keys[0]?.id}`, email);
    }
    changedMs = performance.now();
    for (const refusedMs of await Promise.all(refused)) worst[kind] = Math.max(worst[kind], refusedMs - changedMs);
  };
  // Four at a time: passwords take a processor each.
  for (let at = 0; at < effort.keyTries; at += 4)
    await Promise.all([0, 1, 2, 3].filter((i) => at + i < effort.keyTries).map((i) => attempt(at + i)));
  const longest = Math.max(...Object.values(worst));
  return {
    what: `${effort.keyTries} keys revoked, rotated or deleted on one replica (database: ${rig.database})`,
    promised: `refused by the other two within KEY_CACHE_MS, here ${keyCacheMs} ms`,
    measured: `worst: ${KINDS.map((kind) => `${kind} ${Math.round(worst[kind])} ms`).join(', ')}`,
    // The interval of the questions, and a busy machine.
    isHeld: longest <= keyCacheMs + 500,
  };
}
