import { Type, type Static } from 'typebox';

/** Answer of GET /auth/me: whom the key belongs to, and which key it is. Never the key. */
export const MeAnswerSchema = Type.Object(
  {
    email: Type.String(),
    company_id: Type.Union([Type.String(), Type.Null()]),
    key: Type.Object(
      {
        id: Type.String(),
        prefix: Type.String({ description: 'First characters of the key, to tell keys apart.' }),
        name: Type.Union([Type.String(), Type.Null()]),
        created_at: Type.String({ description: 'ISO 8601, UTC.' }),
        expires_at: Type.Union([Type.String(), Type.Null()], { description: 'When it ends by itself, a grace included; null: never.' }),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

export type MeAnswer = Static<typeof MeAnswerSchema>;
