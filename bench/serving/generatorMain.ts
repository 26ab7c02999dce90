import { makeLoad, type Load } from './makeLoad.ts';

/** The load generator process, separate from the measuring process. It makes one load per message and answers with its outcomes. */
process.on('message', (load: Load) => void makeLoad(load).then((outcomes) => process.send!(outcomes)));
process.on('disconnect', () => process.exit(0));
