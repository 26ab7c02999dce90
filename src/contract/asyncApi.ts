import { CLIENT_MESSAGES, CLOSE_CODES, LIVE_PATH, LIVE_PROTOCOL, SERVER_MESSAGES } from './live.ts';
import { CLIENT_EXAMPLES, SERVER_EXAMPLES } from './liveExamples.ts';

type Json = Record<string, unknown>;

const CHANNEL = '#/channels/live';

type Message = { readonly name: string; readonly title: string; readonly summary: string | undefined; readonly payload: object };

function messagesOf(schemas: Readonly<Record<string, object>>, examples: Readonly<Record<string, object>>): Record<string, Message> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, payload]) => {
      const example = examples[name];
      const shown = example === undefined ? {} : { examples: [{ payload: example }] };
      return [
        messageName(name, schemas),
        { name, title: name, summary: (payload as { readonly description?: string }).description, payload, ...shown },
      ];
    }),
  );
}

/** `score` is a message of both sides. */
const messageName = (name: string, schemas: object): string =>
  schemas === CLIENT_MESSAGES && name in SERVER_MESSAGES ? `${name}Request` : name;

const references = (schemas: object): Json[] =>
  Object.keys(schemas).map((name) => ({ $ref: `${CHANNEL}/messages/${messageName(name, schemas)}` }));

/** The messages of both sides by their names in AsyncAPI. */
export const liveMessages = (): Record<string, Message> => ({
  ...messagesOf(CLIENT_MESSAGES, CLIENT_EXAMPLES),
  ...messagesOf(SERVER_MESSAGES, SERVER_EXAMPLES),
});

/** Builds the AsyncAPI 3.0 document of live series from the schemas that check the messages. Plain JSON. */
export function asyncApi(version: string): Json {
  const closes = Object.entries(CLOSE_CODES).map(([code, meaning]) => `- \`${code}\`: ${meaning}`);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'tickmark live series',
      version,
      license: { name: 'Apache-2.0' },
      description: `Push ticks over one WebSocket, and get forecasts when they fall due, their outcomes, and a running score.\n\nClose codes:\n\n${closes.join('\n')}`,
    },
    defaultContentType: 'application/json',
    channels: {
      live: {
        address: LIVE_PATH,
        description: `WebSocket with the subprotocol ${LIVE_PROTOCOL}; text frames of one JSON object each, at most 1 MiB.`,
        messages: liveMessages(),
        bindings: {
          ws: {
            method: 'GET',
            headers: {
              type: 'object',
              properties: {
                'Api-Key': { type: 'string', description: 'The key; callers that cannot set it send `auth` first.' },
                'Sec-WebSocket-Protocol': { const: LIVE_PROTOCOL },
              },
            },
          },
        },
      },
    },
    operations: {
      receive: { action: 'receive', channel: { $ref: CHANNEL }, summary: 'What a client sends.', messages: references(CLIENT_MESSAGES) },
      send: { action: 'send', channel: { $ref: CHANNEL }, summary: 'What the service sends.', messages: references(SERVER_MESSAGES) },
    },
  };
}
