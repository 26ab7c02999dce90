import { endWithParent } from '../../src/core/endWithParent.ts';

/**
 * A child process that does what its first argument says: `ready` (then answers pings), `hang` (ready, then its thread never yields), `mute` (ready,
 * then answers nothing), `refuse` (says why it cannot start), `exit` (ends before it is ready), `slow` (is never ready), `die` (ready, then ends).
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
// Once the message has left.
if (how === 'hang') setTimeout(() => loopForEver(), 50);

function loopForEver(): never {
  for (;;);
}
