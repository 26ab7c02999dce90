import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { ALERT_TYPES, TEST_TYPE } from '../../src/service/alerts/Webhook.ts';
import { compileBodyChecks } from '../../src/contract/compileBodyChecks.ts';
import { FORECAST_ROUTES } from '../../src/contract/forecastRoutes.ts';
import { NAMED_SCHEMAS } from '../../src/contract/namedSchemas.ts';
import { openApi } from '../../src/contract/openApi.ts';
import { ROUTES, type RouteSpec } from '../../src/contract/routes.ts';
import { withoutReferences } from '../../src/contract/shareSchemas.ts';

describe('the OpenAPI document', () => {
  const written = openApi('1.2.3') as { components: { parameters: object }; webhooks: object };
  const document = withoutReferences(written) as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, { content?: Record<string, Media> }> }>>;
    components: object;
  };
  type Media = { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> };
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });

  it('is plain JSON with one operation for each route', () => {
    expect(JSON.parse(JSON.stringify(written))).to.deep.equal(written);
    const ids = Object.values(document.paths).flatMap((operations) => Object.values(operations).map(({ operationId }) => operationId));
    expect(ids.sort()).to.deep.equal(Object.keys(ROUTES).sort());
  });

  it('has request examples that the service accepts', () => {
    const checks = compileBodyChecks();
    expect(checks.signup(ROUTES.signUp.body.example())).to.have.property('email');
    expect(checks.tickRequest(ROUTES.tickForecast.body.example()).Timestamp).to.have.length(200);
  });

  it('has schemas that compile, and response examples that match them', () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const { responses } of Object.values(operations)) {
        for (const [status, { content = {} }] of Object.entries(responses)) {
          for (const { schema, example, examples = {} } of Object.values(content)) {
            const validate = ajv.compile({ ...schema, components: document.components });
            const values = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
            for (const value of values) expect(validate(value), `${path} ${status} ${ajv.errorsText(validate.errors)}`).to.equal(true);
          }
        }
      }
    }
  });

  it('has an example of each kind of forecast', () => {
    const names = { [FORECAST_ROUTES.tickForecast.path]: ['full', 'last', 'horizons'], [FORECAST_ROUTES.tickBatch.path]: ['full', 'last'] };
    for (const { path } of Object.values(FORECAST_ROUTES)) {
      const { examples = {}, example } = document.paths[path]?.['post']?.responses['200']?.content?.['application/json'] as Media;
      expect([Object.keys(examples), example], path).to.deep.equal([names[path], undefined]);
    }
  });

  it('has at most 175 kB, and a name for every object that has fields', () => {
    expect(Buffer.byteLength(JSON.stringify(written))).to.be.at.most(175_000);
    const unnamed: string[] = [];
    const look = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties } = value as { properties?: object };
      if (properties !== undefined && !/^\/components\/schemas\/\w+$/.test(at)) unnamed.push(at);
      for (const [key, each] of Object.entries(value)) {
        if (key !== 'example' && key !== 'examples') look(each, `${at}/${key}`);
      }
    };
    look(written, '');
    expect(unnamed).to.deep.equal([]);
    const texts = Object.values(NAMED_SCHEMAS).map((schema) => JSON.stringify(schema));
    expect(new Set(texts).size).to.equal(texts.length);
  });

  it('has no list of values in a parameter, which generators name after the operation, as its answer', () => {
    const { parameters } = written.components;
    expect(JSON.stringify(parameters)).to.not.include('"enum"');
  });

  it('describes every alert that a webhook can get', () => {
    expect(Object.keys(written.webhooks)).to.have.members([...ALERT_TYPES, TEST_TYPE]);
  });

  it('requires a key or a password for the same routes as the route table', () => {
    for (const [name, route] of Object.entries(ROUTES) as [string, RouteSpec][]) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()] as { security?: unknown };
      const wanted = route.needsKey === true ? [{ ApiKey: [] }, { Bearer: [] }] : route.needsPassword === true ? [{ Password: [] }] : [];
      const session = route.needsKey === true || route.takesSession === true ? [{ Session: [] }] : [];
      expect(operation.security, name).to.deep.equal([...wanted, ...session]);
      expect(route.errors.includes('auth.key_refused'), name).to.equal(route.needsKey === true);
      expect(route.errors.includes('auth.password_refused'), name).to.equal(route.needsPassword === true || name === 'signIn');
    }
  });
});
