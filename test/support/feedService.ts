import { readSettings } from '../../src/core/config/settings.ts';
import { openForecaster } from '../../src/service/app/openForecaster.ts';
import { startService } from '../../src/service/app/startService.ts';
import { findAt } from './LocalExchange.ts';

/** A service of its own process whose exchange is on this machine: `node feedService.ts PORT_OF_EXCHANGE`. Prints its address once it is ready. */
const { url } = await startService(readSettings(process.env), {
  isAlone: false,
  findMarket: findAt(Number(process.argv[2])),
  openForecaster: (settings, deps) => openForecaster(settings, { ...deps, batches: [1] }),
  warmUpRounds: 1,
});
process.stdout.write(`${JSON.stringify({ ready: url })}\n`);
