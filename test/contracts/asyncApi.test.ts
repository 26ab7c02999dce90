import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { asyncApi } from '../../src/contract/asyncApi.ts';
import { compileBodyChecks } from '../../src/contract/compileBodyChecks.ts';
import { CLIENT_MESSAGES, CLOSE_CODES, SERVER_MESSAGES, type ClientMessageType } from '../../src/contract/live.ts';
import { CLIENT_EXAMPLES } from '../../src/contract/liveExamples.ts';

type Reference = { readonly $ref: string };
type Message = { readonly name: string; readonly payload: object; readonly examples: readonly { readonly payload: unknown }[] };
type Document = {
  readonly info: { readonly description: string };
  readonly channels: { readonly live: { readonly address: string; readonly messages: Readonly<Record<string, Message>> } };
  readonly operations: Readonly<
    Record<string, { readonly action: string; readonly channel: Reference; readonly messages: readonly Reference[] }>
  >;
};

describe('the AsyncAPI document', () => {
  const document = asyncApi('1.2.3') as Document;
  const found = ({ $ref }: Reference): unknown =>
    $ref
      .slice(2)
      .split('/')
      .reduce((value, name) => (value as Record<string, unknown>)[name], document as unknown);

  it('is plain JSON whose references exist', () => {
    expect(JSON.parse(JSON.stringify(document))).to.deep.equal(document);
    expect(document.channels.live.address).to.equal('/auth/live');
    for (const { channel, messages } of Object.values(document.operations))
      for (const reference of [channel, ...messages]) expect(found(reference), reference.$ref).to.be.an('object');
  });

  it('has the schemas that check the messages: those of clients are received, those of the service are sent', () => {
    for (const [action, schemas] of [
      ['receive', CLIENT_MESSAGES],
      ['send', SERVER_MESSAGES],
    ] as const) {
      const messages = document.operations[action].messages.map((reference) => found(reference) as Message);
      expect(Object.fromEntries(messages.map(({ name, payload }) => [name, payload]))).to.deep.equal(JSON.parse(JSON.stringify(schemas)));
    }
  });

  it('has an example of each message, which its schema and the service accept', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    for (const [name, { payload, examples }] of Object.entries(document.channels.live.messages)) {
      const validate = ajv.compile(payload);
      expect(examples).to.have.length(1);
      for (const example of examples) expect(validate(example.payload), `${name}: ${ajv.errorsText(validate.errors)}`).to.equal(true);
    }
    const { live } = compileBodyChecks();
    for (const type of Object.keys(CLIENT_EXAMPLES) as ClientMessageType[]) expect(live[type](CLIENT_EXAMPLES[type])).to.include({ type });
  });

  it('names every close code', () => {
    for (const code of Object.keys(CLOSE_CODES)) expect(document.info.description).to.include(`\`${code}\``);
  });
});
