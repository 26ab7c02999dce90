/** `npm run chart`: the settings that the chart accepts, and what it makes of its own values. */
import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { format } from 'oxfmt';
import { SETTINGS } from '../src/core/config/settingTable.ts';
import { buildHelmTools } from '../test/support/helmTools.ts';
import { ROOT } from '../test/support/tickmarkProcess.ts';
import { NOT_IN_SETTINGS, renderChart } from './renderChart.ts';

const schemaFile = path.join(ROOT, 'deploy', 'helm', 'tickmark', 'values.schema.json');
const schema = JSON.parse(readFileSync(schemaFile, 'utf8')) as { properties: { settings: { properties: object } } };
const names = Object.keys(SETTINGS).filter((name) => !NOT_IN_SETTINGS.includes(name));
schema.properties.settings.properties = Object.fromEntries(names.sort().map((name) => [name, { type: ['string', 'number', 'boolean'] }]));
writeFileSync(schemaFile, (await format(schemaFile, JSON.stringify(schema), { printWidth: 140 })).code);

const { helm } = await buildHelmTools(true);
const { code, out, err } = helm(...renderChart.args);
if (code !== 0) throw new Error(err);
writeFileSync(path.join(ROOT, renderChart.file), renderChart.text(out));
