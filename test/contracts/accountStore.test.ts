import type { StoreKind } from '../support/openNamedStore.ts';
import { STORE_KINDS } from '../support/eachStore.ts';
import { describeAccountStore } from './accountStore.ts';

const NAMES: Readonly<Record<StoreKind, string>> = { sqlite: 'SQLite', mongodb: 'MongoDB' };

for (const kind of STORE_KINDS) describeAccountStore(NAMES[kind], kind);
