import { closedLoop } from './closedLoop.ts';
import type { Load } from './Load.ts';
import { openLoop } from './openLoop.ts';

/** The process that makes load: it shares no thread with whoever measures. It makes one load for each message, and answers with its report. */
process.on('message', (load: Load) => {
  void (load.kind === 'closed' ? closedLoop(load) : openLoop(load)).then((report) => process.send!(report));
});
process.on('disconnect', () => process.exit(0));
