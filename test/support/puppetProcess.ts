import { endWithParent } from '../../src/core/childProcess.ts';

/**
 * A child process whose first argument selects its behaviour: `ready` (then answers pings), `hang` (ready, says `hangs`, then blocks its thread),
 * `refuse` (reports why it cannot start), `die` (ready, then exits).
 */
const [how = 'ready'] = process.argv.slice(2);
await endWithParent();
const say = (message: string): void => void process.send?.(message);
say(how === 'refuse' ? 'refused: no device' : 'ready');
process.on('message', () => say('pong'));
if (how === 'die') setTimeout(() => process.exit(4), 50);
// After the message was sent.
if (how === 'hang') process.send?.('hangs', () => loopForEver());

function loopForEver(): never {
  for (;;);
}
