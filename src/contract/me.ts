import { Type, type Static } from 'typebox';

/** Answer of GET /auth/me: the owner of the key, and the listed form of the key. Never contains the key itself. */
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
        expires_at: Type.Union([Type.String(), Type.Null()], { description: 'When the key ends, including a grace time; null: never.' }),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

export type MeAnswer = Static<typeof MeAnswerSchema>;
