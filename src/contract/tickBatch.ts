import { Type } from '../core/schema.ts';
import type { Problem } from './problem.ts';
import {
  exampleTickRequest,
  HorizonsAnswerSchema,
  LastAnswerSchema,
  TickAnswerSchema,
  TickRequestSchema,
  type HorizonsAnswer,
  type LastAnswer,
  type TickAnswer,
} from './tickForecast.ts';

/** Maximum number of bodies in a batch. */
export const MAX_ITEMS = 64;

/** Body of POST /auth/ti-tick/batch, for the documentation. */
export const TickBatchRequestSchema = Type.Object({
  items: Type.Array(
    Type.Union([TickRequestSchema, Type.Unknown({ description: 'Anything else gets the problem that POST /auth/ti-tick would answer.' })]),
    { minItems: 1, maxItems: MAX_ITEMS, description: 'Bodies of POST /auth/ti-tick, each validated and answered separately.' },
  ),
});

/** The body without the validation of its items: they are validated one by one, so that an invalid item fails alone. */
export const TickBatchFrameSchema = Type.Object({ items: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_ITEMS }) });

const ProblemRef = Type.Unsafe<Problem>({ $ref: '#/components/schemas/Problem' });

export const TickBatchAnswerSchema = Type.Object({
  results: Type.Array(
    Type.Union([
      Type.Object({
        status: Type.Literal(200),
        body: Type.Unsafe<TickAnswer | LastAnswer | HorizonsAnswer>({
          anyOf: [LastAnswerSchema, HorizonsAnswerSchema, TickAnswerSchema],
          description: 'The answer of POST /auth/ti-tick.',
        }),
      }),
      Type.Object(
        { status: Type.Integer({ minimum: 400, maximum: 599 }), problem: ProblemRef },
        {
          description: 'The problem that POST /auth/ti-tick would answer, with the request id of the batch.',
        },
      ),
    ]),
    { minItems: 1, maxItems: MAX_ITEMS, description: 'One for each item, in the same order.' },
  ),
});

/** One valid item, whose timestamps are epoch milliseconds, and one without a price, which fails alone. */
export function exampleTickBatch(): { readonly items: readonly unknown[] } {
  const { Timestamp, Price } = exampleTickRequest();
  const item = { Timestamp: Timestamp.map((stamp) => Date.parse(`${stamp.replace(' ', 'T')}Z`)), Price };
  return { items: [item, { Timestamp: Timestamp.slice(0, 2), Price: [] }] };
}
