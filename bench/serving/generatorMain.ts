import { closedLoop } from './closedLoop.ts';
import type { Load } from './Load.ts';
import { openLoop } from './openLoop.ts';

/** The load generator process, separate from the measuring process. It runs one load per message and answers with its report. */
process.on('message', (load: Load) => {
  void (load.kind === 'closed' ? closedLoop(load) : openLoop(load)).then((report) => process.send!(report));
});
process.on('disconnect', () => process.exit(0));
