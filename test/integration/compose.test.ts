import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { openMongo } from '../../src/service/accounts/openMongo.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { SETTINGS } from '../../src/core/config/settingTable.ts';
import { packageRoot } from '../../src/core/packageRoot.ts';
import { serviceErrorOf } from '../support/serviceErrorOf.ts';

type Service = {
  environment: Record<string, string>;
  ports?: string[];
  networks: string[];
  volumes: string[];
  configs?: { source: string }[];
  read_only?: boolean;
};
type Compose = {
  services: { mongo: Service; tickmark: Service };
  networks: Record<string, { internal?: boolean }>;
  volumes: object;
  configs: Record<string, { content: string }>;
};

describe('deploy/compose.yaml', () => {
  const text = readFileSync(path.join(packageRoot(), 'deploy', 'compose.yaml'), 'utf8');
  const { services, networks, volumes, configs } = parse(text) as Compose;
  const { mongo, tickmark } = services;

  it('contains no password and does not start without one', () => {
    for (const reference of text.match(/\$\{[^}]*\}/g) ?? []) expect(reference).to.match(/^\$\{MONGO_PASSWORD:\?/);
    expect(mongo.environment['MONGO_INITDB_ROOT_PASSWORD']).to.match(/^\$\{MONGO_PASSWORD:\?/);
  });

  it('allows connections to the database only from tickmark, and to tickmark only from this machine', () => {
    expect(mongo.ports).to.equal(undefined);
    expect(mongo.networks).to.deep.equal(['inside']);
    expect(networks['inside']?.internal).to.equal(true);
    expect(tickmark.ports).to.deep.equal(['127.0.0.1:8080:8080']);
    expect(tickmark.read_only).to.equal(true);
  });

  it('gives tickmark a user of one database, known settings and a URI that the driver can read', async () => {
    expect(configs['make-user']?.content).to.include("role: 'readWrite', db: 'tickmark'");
    expect(mongo.configs?.map(({ source }) => source)).to.deep.equal(['make-user']);
    for (const name of Object.keys(tickmark.environment)) expect(SETTINGS).to.have.property(name);
    const uri = (tickmark.environment['MONGODB_URI'] ?? '').replace(/\$\{[^}]*\}/, 'abc123');
    expect(readSettings({ MONGODB_URI: uri }).mongodbUri).to.equal(uri);
    const unreachable = await serviceErrorOf(openMongo(uri.replace('@mongo:27017', '@127.0.0.1:1'), { answerMs: 200 }));
    expect(unreachable.message).to.include('ECONNREFUSED').and.not.include('abc123');
  });

  it('keeps persistent data in named volumes', () => {
    const used = [...mongo.volumes, ...tickmark.volumes].map((volume) => volume.split(':')[0] ?? '');
    expect(Object.keys(volumes).sort()).to.deep.equal(used.sort());
  });
});
