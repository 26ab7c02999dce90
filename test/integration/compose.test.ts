import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { openMongo } from '../../src/service/accounts/openMongo.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { SETTINGS } from '../../src/core/config/settingTable.ts';
import { packageRoot } from '../../src/core/packageRoot.ts';
import { serviceErrorOf } from '../support/serviceErrorOf.ts';

type Bounded = { logging: object; deploy: { resources: { limits: { memory: string } } } };
type Service = Bounded & {
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

  it('contains no password and does not start without both: that of the administrator, which tickmark does not get, and its own', () => {
    for (const reference of text.match(/\$\{[^}]*\}/g) ?? []) expect(reference).to.match(/^\$\{MONGO_(ROOT_)?PASSWORD:\?/);
    expect(mongo.environment['MONGO_INITDB_ROOT_PASSWORD']).to.match(/^\$\{MONGO_ROOT_PASSWORD:\?/);
    expect(mongo.environment['TICKMARK_PASSWORD']).to.match(/^\$\{MONGO_PASSWORD:\?/);
    expect(configs['make-user']?.content).to.include('pwd: process.env.TICKMARK_PASSWORD,').and.not.include('ROOT');
    expect(JSON.stringify(tickmark)).to.not.include('ROOT');
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

  it('bounds the log and the memory of each container, also of the replicas', () => {
    const replicas = readFileSync(path.join(packageRoot(), 'deploy', 'compose.replicas.yaml'), 'utf8');
    const others = (parse(replicas, { logLevel: 'silent' }) as { services: Record<string, Partial<Bounded>> }).services;
    const all = { ...others, ...services, replica: { ...services.tickmark, ...others['tickmark'] } };
    for (const [name, { logging, deploy }] of Object.entries<Partial<Bounded>>(all)) {
      expect(logging, name).to.deep.equal({ driver: 'json-file', options: { 'max-size': '50m', 'max-file': '5' } });
      expect(deploy?.resources.limits.memory, name).to.match(/^\d+[mg]$/);
    }
    // Lines of HAProxy with an odd minor version end after a year or so.
    expect(Number(/image: haproxy:3\.(\d+)-alpine/.exec(replicas)?.[1]) % 2).to.equal(0);
  });

  it('keeps persistent data in named volumes', () => {
    const used = [...mongo.volumes, ...tickmark.volumes].map((volume) => volume.split(':')[0] ?? '');
    expect(Object.keys(volumes).sort()).to.deep.equal(used.sort());
  });
});
