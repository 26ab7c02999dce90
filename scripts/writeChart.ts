/** `npm run chart`: writes the settings that the chart accepts to its schema. */
import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { format } from 'oxfmt';
import { SETTINGS } from '../src/core/config/settingTable.ts';
import { ROOT } from '../test/support/tickmarkProcess.ts';
import { NOT_IN_SETTINGS, settingSchema } from './chartSettings.ts';

const schemaFile = path.join(ROOT, 'deploy', 'helm', 'tickmark', 'values.schema.json');
const schema = JSON.parse(readFileSync(schemaFile, 'utf8')) as { properties: { settings: { properties: object } } };
const names = (Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]).filter((name) => !NOT_IN_SETTINGS.includes(name));
schema.properties.settings.properties = Object.fromEntries(names.sort().map((name) => [name, settingSchema(SETTINGS[name])]));
writeFileSync(schemaFile, (await format(schemaFile, JSON.stringify(schema), { printWidth: 140 })).code);
