import * as http from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { openApi } from '../../src/contract/openApi.ts';
import { withoutReferences } from '../../src/contract/shareSchemas.ts';

type Json = Record<string, unknown>;
type Operation = { responses: Record<string, { content?: Record<string, { schema: Json }> }> };

type Webhook = { post: { requestBody: { content: { 'application/json': { schema: Json } } } } };

const document = withoutReferences(openApi('0.0.0-test')) as {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Webhook>;
};
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
const compiled = new Map<string, ValidateFunction>();

export type Answer = { status: number; headers: http.IncomingHttpHeaders; text: string; json: Json };
export type Ask = { method?: string; headers?: Record<string, string | string[]>; body?: unknown; agent?: http.Agent };

function validatorOf(method: string, path: string, status: number, type: string): ValidateFunction | undefined {
  const template = Object.keys(document.paths).find((each) => new RegExp(`^${each.replace(/\{\w+\}/g, '[^/]+')}$`).test(path));
  const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
  if (operation === undefined) return undefined;
  const key = `${method} ${template} ${status} ${type}`;
  const schema = (operation.responses[status] ?? operation.responses[`${String(status)[0]}XX`])?.content?.[type]?.schema;
  expect(schema, `${key} is not documented`).to.not.equal(undefined);
  const validate = compiled.get(key) ?? ajv.compile(schema as Json);
  compiled.set(key, validate);
  return validate;
}

const isJson = (type: string | undefined): boolean => /json$/.test(type ?? '');

/** The answer must be one that the OpenAPI document lists for the route, and match its schema. */
export function expectDocumented(method: string, path: string, { status, headers, text }: Answer): void {
  if (method === 'HEAD' || text === '') return;
  const type = headers['content-type'] ?? '';
  const validate = validatorOf(method, path.split('?')[0] ?? path, status, type);
  if (validate !== undefined)
    expect(validate(isJson(type) ? JSON.parse(text) : text), `${text.slice(0, 400)} ${ajv.errorsText(validate.errors)}`).to.equal(true);
}

/** An alert must have the form that the OpenAPI document lists for its type. */
export function expectDocumentedAlert(alert: Json): void {
  const schema = document.webhooks[String(alert['type'])]?.post.requestBody.content['application/json'].schema;
  const validate = ajv.compile(schema ?? false);
  expect(validate(alert), `${JSON.stringify(alert)} ${ajv.errorsText(validate.errors)}`).to.equal(true);
}

/** Sends one request over node:http (no fetch: it hides bytes and headers) and checks the answer against the OpenAPI document. */
export function request(url: string, path: string, ask: Ask = {}): Promise<Answer> {
  const { method = ask.body === undefined ? 'GET' : 'POST', headers = {}, body, agent } = ask;
  const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const allHeaders = typeof body === 'object' && !Buffer.isBuffer(body) ? { 'Content-Type': 'application/json', ...headers } : headers;
  return new Promise((resolve, reject) => {
    const sent = http.request(url + path, { method, headers: allHeaders, ...(agent === undefined ? {} : { agent }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        try {
          const text = Buffer.concat(chunks).toString('utf8');
          const json = isJson(response.headers['content-type']) && text !== '' ? (JSON.parse(text) as Json) : {};
          const answer = { status: response.statusCode ?? 0, headers: response.headers, text, json };
          expectDocumented(method, path, answer);
          expect(answer.headers['x-request-id']).to.match(/^[\w-]{16,}$/);
          if (answer.status >= 400 && text !== '') {
            expect(answer.headers['content-type']).to.equal('application/problem+json');
            expect(json['requestId']).to.equal(answer.headers['x-request-id']);
          }
          resolve(answer);
        } catch (error) {
          reject(error as Error);
        }
      });
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
}
