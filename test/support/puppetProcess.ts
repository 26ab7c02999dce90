import { endWithParent } from '../../src/core/childProcess.ts';

/**
 * A child process whose first argument selects its behaviour: `ready` (then answers pings), `hang` (ready, says `hangs`, then blocks its thread), `mute`
 * (ready, then never answers), `refuse` (reports why it cannot start), `exit` (exits before it is ready), `slow` (is never ready), `die`
 * (ready, then exits).
 */
const [how = 'ready'] = process.argv.slice(2);
await endWithParent();
const say = (message: string): void => void process.send?.(message);
if (how === 'exit') process.exit(3);
if (how === 'refuse') say('refused: no device');
else if (how !== 'slow') say('ready');
process.on('message', () => {
  if (how !== 'mute') say('pong');
});
if (how === 'die') setTimeout(() => process.exit(4), 50);
// After the message was sent.
if (how === 'hang') process.send?.('hangs', () => loopForEver());

function loopForEver(): never {
  for (;;);
}
