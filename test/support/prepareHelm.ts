import { buildHelmTools } from './helmTools.ts';

/** Fetches helm and builds the strict decoder for the tests of the chart: `node --import tsx test/support/prepareHelm.ts`. */
const { helm } = await buildHelmTools(true);
process.stdout.write(helm('version', '--short').out);
