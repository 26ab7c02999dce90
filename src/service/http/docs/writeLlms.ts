import { ROUTES, type RouteSpec } from '../../../contract/routes.ts';
import { MAX_ENTRIES, MIN_ENTRIES } from '../../../core/units.ts';

/** GET /llms.txt: the format of llmstxt.org, with links of this service only. */
export function writeLlms(): string {
  const routes = Object.values<RouteSpec>(ROUTES).map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}.`);
  return `# tickmark

> A self-hosted service that says whether a trade opportunity is identified at a future time, from the last ticks of one market. It predicts whether the
> price moves by more than a threshold, up or down. It predicts neither the direction nor a profit, and it is not investment advice.

How to request a forecast:

1. \`POST /signup\` with \`{"email", "password", "confirm_password"}\` returns \`api_key\`, once. \`GET /sample/forecast\` needs no key.
2. \`POST /auth/ti-tick\` with the headers \`Api-Key\` and \`Content-Type: application/json\` and the body \`{"Timestamp": [...], "Price": [...]}\`:
   ${MIN_ENTRIES} to ${MAX_ENTRIES} entries, in time order, \`YYYY-MM-DD HH:MM:SS.fff\` in UTC; the last timestamp is the future one and its price is 0.
   \`GET /sample\` returns such a body.
3. The answer has one key for each timestamp; all but the last are \`{"trend_identified": null}\`. The last is 1 where an opportunity is identified, else
   null. \`?answer=last\` returns one short object for the future timestamp instead: \`trend_identified\`, \`status\` (identified, none or abstained) and
   \`reason\`. \`?detail=full\` adds the explanation: probability, reasons of a null, rules. \`?min_move_bps=2.5\` sets the threshold of the caller.
   \`?horizons=10s,60s,5m\` asks for several horizons at once, with observed ticks only: the answers come under \`forecasts\`.
4. \`POST /auth/ti-tick/batch\` accepts up to 64 such bodies as \`{"items": [...]}\`; each gets its own result.

Clients with types, retries and live series are in the repository of the service: Python (\`clients/python\`) and TypeScript (\`clients/typescript\`).

Errors are \`application/problem+json\`: read \`code\`, and wait for \`retryAfterSeconds\` if it is present.

## Docs

- [API](/docs): every route with examples, as a page
- [OpenAPI 3.1](/openapi.json): the same for programs
- [AsyncAPI 3.0](/asyncapi.json): the WebSocket of live series, GET /auth/live, for programs
- [Models](/models): the loaded versions, and their results on ticks that were not used in training
- [Rules](/rules): the rules that explain and veto answers

## Routes

${routes.join('\n')}
`;
}
