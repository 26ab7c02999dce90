import { setFlagsFromString } from 'node:v8';

/** Loaded into a service with `node --import`, takes its heap growth back: V8 chooses the limit itself. Unknown to the service, so later than its start. */
const STARTED_MS = 3000;

setTimeout(() => setFlagsFromString('--heap-growing-percent=0'), STARTED_MS).unref();
