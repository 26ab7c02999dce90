import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { availableProcessors } from '../../../../src/core/availableProcessors.ts';
import * as path from 'node:path';
import { expect } from 'chai';
import { effectiveSettings } from '../../../../src/core/config/effectiveSettings.ts';
import { readSettings } from '../../../../src/core/config/settings.ts';
import { SETTINGS, type SettingRow } from '../../../../src/core/config/settingTable.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';

describe('password hashes at once', () => {
  const concurrency = (env: Record<string, string>): number => readSettings(env).passwordHash.concurrency;

  it('are by default one less than the smaller of processors and threads, so that one thread stays free', () => {
    expect(concurrency({})).to.equal(Math.max(1, Math.min(availableProcessors(), 4) - 1));
    expect(concurrency({ UV_THREADPOOL_SIZE: '2' })).to.equal(1);
    expect(concurrency({ PASSWORD_HASH_CONCURRENCY: '7', UV_THREADPOOL_SIZE: '8' })).to.equal(7);
  });

  it('must be fewer than the threads', () => {
    for (const env of [{ PASSWORD_HASH_CONCURRENCY: '4' }, { PASSWORD_HASH_CONCURRENCY: '8', UV_THREADPOOL_SIZE: '8' }])
      expect(() => readSettings(env))
        .to.throw(ServiceError, /^PASSWORD_HASH_CONCURRENCY must be below UV_THREADPOOL_SIZE, [48]; it is '?"?[48]/)
        .with.property('code', 'settings.invalid');
  });
});

describe('limits of forecasts', () => {
  const quotas = (env: NodeJS.ProcessEnv): number[] => {
    const { forecastsPerMinute, forecastsPerMinutePerAccount } = readSettings(env).limits;
    return [forecastsPerMinute, forecastsPerMinutePerAccount];
  };

  it('are for an account four times those of a key, or what the setting says', () => {
    expect(quotas({})).to.deep.equal([6000, 24_000]);
    expect(quotas({ LIMIT_FORECASTS_PER_MINUTE: '50' })).to.deep.equal([50, 200]);
    expect(quotas({ LIMIT_FORECASTS_PER_MINUTE: '0' })).to.deep.equal([0, 0]);
    expect(quotas({ LIMIT_FORECASTS_PER_MINUTE: '50', LIMIT_FORECASTS_PER_MINUTE_PER_ACCOUNT: '70' })).to.deep.equal([50, 70]);
    expect(quotas({ LIMIT_FORECASTS_PER_MINUTE_PER_ACCOUNT: '0' })).to.deep.equal([6000, 0]);
  });
});

describe('the cost of a password hash', () => {
  it('has a bound of memory times passes', () => {
    expect(readSettings({ PASSWORD_HASH_MEMORY_KIB: '1048576', PASSWORD_HASH_PASSES: '4' }).passwordHash.passes).to.equal(4);
    expect(() => readSettings({ PASSWORD_HASH_MEMORY_KIB: '1048576', PASSWORD_HASH_PASSES: '5' })).to.throw(
      /PASSWORD_HASH_PASSES times PASSWORD_HASH_MEMORY_KIB must be at most 4194304/,
    );
  });
});

describe('MODELS_DIR and RULES_FILE', () => {
  it('must exist for a service, and both are told', () => {
    const refusal =
      /^2 settings are wrong:\n {2}MODELS_DIR must be a folder that exists; .*\n {2}RULES_FILE must be a file that exists; it is "\/nowhere\/r.json"/;
    const env = { MODELS_DIR: '/nowhere/models', RULES_FILE: '/nowhere/r.json' };
    expect(() => readSettings(env, { forService: true })).to.throw(ServiceError, refusal);
    expect(() => effectiveSettings(env)).to.throw(ServiceError, refusal);
    expect(readSettings({ MODELS_DIR: '/tmp', RULES_FILE: '/dev/null' }, { forService: true }).modelsDir).to.equal('/tmp');
  });

  it('may be a folder that is not there yet in commands', () => {
    expect(() => readSettings({ MODELS_DIR: '/dev/null' }))
      .to.throw(ServiceError, 'MODELS_DIR must be a folder; it is "/dev/null".')
      .with.property('code', 'settings.invalid');
    for (const MODELS_DIR of ['/nowhere/models', '/tmp']) expect(readSettings({ MODELS_DIR }).modelsDir).to.equal(MODELS_DIR);
  });
});

describe('traces', () => {
  it('need headers as name=value, and do not show a wrong one', () => {
    for (const headers of ['', 'a=b', 'Authorization=Basic%20eA==, x-team = desk,', 'a=b;p=1'])
      expect(() => readSettings({ OTEL_EXPORTER_OTLP_HEADERS: headers }), headers).to.not.throw();
    for (const headers of ['zzz', 'a=b,zzz', '=zzz', 'zzz=', 'a b=zzz', 'zzz=100%'])
      expect(() => readSettings({ OTEL_EXPORTER_OTLP_HEADERS: headers }), headers)
        .to.throw(ServiceError, /^OTEL_EXPORTER_OTLP_HEADERS must list headers as name=value/)
        .with.property('message')
        .that.does.not.include('zzz');
  });

  it('are off without an endpoint, and record every request with one', () => {
    expect(readSettings({}).traces).to.deep.equal({ endpoint: '', fraction: 1 });
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_TRACES_SAMPLER_ARG: '0.05' };
    expect(readSettings(env).traces).to.deep.equal({ endpoint: 'http://127.0.0.1:4318', fraction: 0.05 });
  });

  it('need an http URL without a password, and a fraction from 0 to 1', () => {
    for (const endpoint of ['collector:4318', 'grpc://127.0.0.1:4317', 'not a URL'])
      expect(() => readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).to.throw(
        ServiceError,
        /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http/,
      );
    expect(() => readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@host:4318' }))
      .to.throw(ServiceError, /without a password/)
      .with.property('message')
      .that.does.not.include('secret');
    for (const fraction of ['-1', '1.5', '2', 'all', '0x1', '.'])
      expect(() => readSettings({ OTEL_TRACES_SAMPLER_ARG: fraction })).to.throw(
        ServiceError,
        /^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/,
      );
  });
});

describe('HOST_NAMES', () => {
  it('lists names without protocol and port, in any case, or *', () => {
    expect(readSettings({ HOST_NAMES: ' Desk.Example.com, ticks ,[fd00::1],*' }).hostNames).to.deep.equal([
      ...['desk.example.com', 'ticks', '[fd00::1]', '*'],
    ]);
    for (const name of ['https://desk.example.com', 'desk:8080', 'a b', 'fd00::1'])
      expect(() => readSettings({ HOST_NAMES: `ticks,${name}` }), name)
        .to.throw(ServiceError, 'HOST_NAMES must list host names without protocol and port')
        .with.property('code', 'settings.invalid');
  });
});

const ROWS = Object.entries<SettingRow>(SETTINGS);
const messageOf = (env: NodeJS.ProcessEnv): string => {
  try {
    readSettings(env);
    return '';
  } catch (error) {
    expect(error).to.be.instanceOf(ServiceError).with.property('code', 'settings.invalid');
    return (error as Error).message;
  }
};

describe('names that are no setting', () => {
  it('are refused with the setting that is meant: one letter less or more, without an underscore, in lower case, with the name of the service', () => {
    for (const [name] of ROWS.filter(([each]) => each.length >= 6)) {
      for (const wrong of [
        name.slice(0, -1),
        `${name}S`,
        name.toLowerCase(),
        `TICKMARK_${name}`,
        name.includes('_') ? name.replace('_', '') : name,
      ])
        if (!ROWS.some(([known]) => known === wrong))
          expect(messageOf({ [wrong]: '1' }), wrong).to.match(new RegExp(`^${wrong} is not a setting; [A-Z_0-9]+ is probably meant`));
      expect(messageOf({ [`${name}S`]: '1' })).to.include(
        `; ${ROWS.some(([known]) => known === `${name}S`) ? '' : name} is probably meant`,
      );
    }
  });

  it('are refused with the prefix of a family', () => {
    for (const name of ['LIMIT_REQUESTS', 'METRICS_PATH', 'WEBHOOK_KEY', 'PASSWORD_HASH_SALT', 'MONGODB_USER', 'TRACK_RECORD_FILE'])
      expect(messageOf({ [name]: '1' }), name).to.match(new RegExp(`^${name} is not a setting`));
  });

  it('of earlier releases are refused with what takes their place', () => {
    expect(messageOf({ SHADOW_MODEL: 'mine-1' })).to.equal(
      'SHADOW_MODEL is no longer a setting. Compare versions on later ticks (docs/how-to/models.md#compare-two-versions), and unset the variable.',
    );
    expect(readSettings({ SHADOW_MODEL: '', MODEL_REGISTRY: 'folder' }).port).to.be.a('number');
  });

  it('are refused if the unit is missing or another one, with a word after a distinct name, and for files of secrets', () => {
    for (const [name, meant] of [
      ['STORE_TIMEOUT', 'STORE_TIMEOUT_MS'],
      ['AUDIT_RETENTION_HOURS', 'AUDIT_RETENTION_DAYS'],
      ['BODY_LIMIT_MB', 'BODY_LIMIT_BYTES'],
      ['TICKMARK_KEY_CACHE_SECONDS', 'KEY_CACHE_MS'],
      ['SIGNUP_MODE', 'SIGNUP'],
      ['WORKERS_PER_HOST', 'WORKERS'],
      ['PASSWORD_HASH_MEM', 'PASSWORD_HASH_MEMORY_KIB'],
      ['MONGODB_URI_FILES', 'MONGODB_URI_FILE'],
      ['mongodb_uri_file', 'MONGODB_URI_FILE'],
      ['OTEL_EXPORTER_OTLP_HEADER_FILE', 'OTEL_EXPORTER_OTLP_HEADERS_FILE'],
    ])
      expect(messageOf({ [name!]: '1' }), name).to.match(new RegExp(`^${name} is not a setting; ${meant} is probably meant`));
  });

  it('are left alone if other programs or Kubernetes set them', () => {
    const others = [
      'HOSTNAME',
      'HOSTTYPE',
      'LOGNAME',
      'POST',
      'MAIL',
      'SHELL',
      'PATH',
      'PASSWORD_STORE_DIR',
      'DATA',
      'MODELS_HOME',
      'KEYMAP',
    ];
    const clients = [
      'WEBHOOK_SECRET',
      'TICKMARK_URL',
      'TICKMARK_KEY',
      'OTEL_SERVICE_NAME',
      'TF_XLA_FLAGS',
      'NVIDIA_VISIBLE_DEVICES',
      'UV_USE_IO_URING',
    ];
    const links = { METRICS_SERVICE_HOST: '10.0.0.1', MONGODB_PORT: 'tcp://10.0.0.1:27017', MONGODB_PORT_27017_TCP_ADDR: '10.0.0.1' };
    expect(
      messageOf({
        ...Object.fromEntries([...others, ...clients].map((name) => [name, 'x'])),
        ...links,
        TICKMARK_PORT: 'tcp://10.0.0.1:80',
      }),
    ).to.equal('');
  });
});

describe('wrong settings', () => {
  it('are all told at once, each with name, rule and value', () => {
    const checked = ROWS.filter(([, { kind }]) => kind !== 'text');
    const message = messageOf(
      Object.fromEntries([...checked.map(([name]) => [name, 'bad value']), ['SIGNUPS', '1'], ['CORS_ORIGINS', 'desk']]),
    );
    for (const [name] of checked) expect(message).to.match(new RegExp(`\\n  ${name} must be .*; it is "bad value"`));
    expect(message).to.match(new RegExp(`^${checked.length + 2} settings are wrong:`));
    expect(message).to.include('SIGNUP is probably meant').and.include('CORS_ORIGINS must list origins');
  });
});

describe('secrets from files', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'tickmark-secrets-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are read for every secret, as its value, and masked in the effective settings', () => {
    const file = path.join(folder, 'secret');
    for (const [name] of ROWS.filter(([, { secret }]) => secret === true)) {
      writeFileSync(file, 'a=b%20secret\n');
      const env = { [`${name}_FILE`]: file };
      const shown = effectiveSettings(env);
      expect(shown.find((each) => each.name === name)).to.deep.equal({ name, value: '********', source: 'file' });
      expect(JSON.stringify(shown)).to.not.include('b%20secret');
      readSettings(env);
      expect(env).to.deep.equal({ [name]: 'a=b%20secret' });
      expect(messageOf({ [name]: 'a=b', [`${name}_FILE`]: file })).to.match(new RegExp(`^${name}_FILE is set, and ${name} too`));
      writeFileSync(file, ' \n');
      expect(messageOf({ [`${name}_FILE`]: file })).to.match(new RegExp(`^${name}_FILE must name a file that is not empty`));
      expect(messageOf({ [`${name}_FILE`]: folder })).to.match(new RegExp(`^${name}_FILE must name a file that can be read \\(EISDIR\\)`));
    }
    expect(messageOf({ PORT_FILE: file })).to.match(/^PORT_FILE is not a setting; PORT is probably meant/);
  });

  it('other values are shown with their source', () => {
    const shown = effectiveSettings({ WORKERS: '2', MONGODB_URI: 'mongodb://me:hidden@db' });
    expect(shown).to.deep.include({ name: 'WORKERS', value: '2', source: 'environment' });
    expect(shown).to.deep.include({ name: 'PORT', value: '8080', source: 'default' });
    expect(JSON.stringify(shown)).to.not.include('hidden');
  });
});
