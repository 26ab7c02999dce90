import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';

/** Answer of GET /auth/me: the owner of the key, and the listed form of the key. Never contains the key itself. */
export const MeAnswerSchema = Type.Object({
  email: Type.String(),
  company_id: Type.Nullable(Type.String()),
  key: Type.Object({
    id: Type.String(),
    prefix: Type.String({ description: 'First characters of the key, to tell keys apart.' }),
    name: Type.Nullable(Type.String()),
    created_at: Type.String({ description: 'ISO 8601, UTC.' }),
    expires_at: Type.Nullable(Type.String(), { description: 'When the key ends, including a grace time; null: never.' }),
  }),
});

export type MeAnswer = Static<typeof MeAnswerSchema>;

export const SignupRequestSchema = Type.Object({
  company_id: Type.Optional(Type.String({ maxLength: 128, description: 'Your name for your company; optional.' })),
  email: Type.String({ description: 'E-mail address; each address can have one account.', examples: ['trader@example.com'] }),
  password: Type.String({
    writeOnly: true,
    description: 'At least 8 alphanumeric characters; other characters are allowed too. At most 1,024 bytes of UTF-8.',
  }),
  confirm_password: Type.String({ writeOnly: true, description: 'The same text as password.' }),
});

export type SignupRequest = Static<typeof SignupRequestSchema>;

export const SignupAnswerSchema = Type.Object({
  message: Type.String(),
  email: Type.String(),
  api_key: Type.String({ description: 'Shown only in this answer.' }),
});

export const SIGNUP_MESSAGE = 'The API key was generated. It is displayed only once: save it now, it cannot be shown again.';

const timeOrNull = (description: string) => Type.Nullable(Type.String(), { description });

/** One key in a list. Never contains the key itself. */
export const KeySchema = Type.Object({
  id: Type.String(),
  prefix: Type.String({ description: 'First characters of the key, to tell keys apart.' }),
  name: Type.Nullable(Type.String()),
  status: Type.Unsafe<'active' | 'grace' | 'expired' | 'revoked'>({
    type: 'string',
    enum: ['active', 'grace', 'expired', 'revoked'],
    description: 'active and grace keys work; grace: replaced by a rotation, until grace_until.',
  }),
  created_at: Type.String({ description: 'ISO 8601, UTC.' }),
  expires_at: timeOrNull('null: never.'),
  grace_until: timeOrNull('null: not rotated.'),
  revoked_at: timeOrNull('null: not revoked.'),
  last_used_at: timeOrNull('To the minute, about a minute late; null: never used.'),
  forecasts_today: Type.Integer({ description: 'On this UTC day, about a minute late.' }),
  forecasts_30_days: Type.Integer(),
  refused_today: Type.Integer({ description: 'Refused by a limit.' }),
  refused_30_days: Type.Integer(),
});

export type KeyAnswer = Static<typeof KeySchema>;

export const KeyListSchema = Type.Object({ keys: Type.Array(KeySchema) });

export const KeyRequestSchema = Type.Object({
  name: Type.Optional(Type.String({ description: 'Your name for the key, 1 to 64 characters.', examples: ['laptop'] })),
  expires_at: Type.Optional(Type.String({ description: 'ISO 8601, UTC, within ten years; absent: never.' })),
});

export type KeyRequestBody = Static<typeof KeyRequestSchema>;

const issued = {
  message: Type.String(),
  id: Type.String(),
  api_key: Type.String({ description: 'Shown only in this answer.' }),
  name: Type.Nullable(Type.String()),
  expires_at: timeOrNull('null: never.'),
};

export const IssuedKeySchema = Type.Object(issued);

export type IssuedKeyAnswer = Static<typeof IssuedKeySchema>;

export const RotatedKeySchema = Type.Object({
  ...issued,
  replaced: Type.Object({ id: Type.String(), works_until: Type.String({ description: 'ISO 8601, UTC.' }) }),
});

export type RotatedKeyAnswer = Static<typeof RotatedKeySchema>;

export const PasswordRequestSchema = Type.Object({
  password: Type.String({ writeOnly: true, description: 'The new password, by the rules of POST /signup.' }),
  confirm_password: Type.String({ writeOnly: true, description: 'The same text as password.' }),
});

export const MessageSchema = Type.Object({ message: Type.String(), email: Type.String() });

export const SessionRequestSchema = Type.Object({
  email: Type.String(),
  password: Type.String({ writeOnly: true }),
  name: Type.Optional(Type.String({ description: 'Shown in the list, 1 to 64 characters.' })),
});

export type SessionRequest = Static<typeof SessionRequestSchema>;

export const SessionSchema = Type.Object({
  id: Type.String(),
  name: Type.Nullable(Type.String()),
  email: Type.String(),
  created_at: Type.String(),
  last_used_at: timeOrNull('To the minute.'),
  expires_at: Type.String({ description: 'Earlier after a week without use.' }),
  is_current: Type.Boolean({ description: 'Of this request.' }),
});

export type SessionAnswer = Static<typeof SessionSchema>;

export const SessionListSchema = Type.Object({ sessions: Type.Array(SessionSchema) });

export type SessionListAnswer = Static<typeof SessionListSchema>;

export const SESSION_EXAMPLE: SessionAnswer = {
  ...{ id: '3f1d2c1e-9d0b-4a43-8f3c-2f6a3b1a9c55', name: 'Firefox on Linux', email: 'trader@example.com' },
  ...{ created_at: '2024-01-02T09:33:18.000Z', last_used_at: null, expires_at: '2024-02-01T09:33:18.000Z', is_current: true },
};

export const ISSUED_KEY_EXAMPLE: IssuedKeyAnswer = {
  message: SIGNUP_MESSAGE,
  id: '0b0f9a52-6f0c-4f5e-9a56-5d1d3c1c4f0e',
  api_key: 'tkm_live_<shown once>',
  name: 'laptop',
  expires_at: null,
};

export const KEY_EXAMPLE: KeyAnswer = {
  id: '0b0f9a52-6f0c-4f5e-9a56-5d1d3c1c4f0e',
  prefix: 'tkm_live_AbCd',
  name: 'laptop',
  status: 'active',
  created_at: '2024-01-02T09:33:18.000Z',
  expires_at: null,
  grace_until: null,
  revoked_at: null,
  last_used_at: '2024-01-02T09:34:00.000Z',
  forecasts_today: 120,
  forecasts_30_days: 5400,
  refused_today: 0,
  refused_30_days: 12,
};

export const ROTATED_KEY_EXAMPLE: RotatedKeyAnswer = {
  ...ISSUED_KEY_EXAMPLE,
  id: '7d1f2c1e-9d0b-4a43-8f3c-2f6a3b1a9c55',
  replaced: { id: ISSUED_KEY_EXAMPLE.id, works_until: '2024-01-03T09:33:18.000Z' },
};

export const PASSWORD_CHANGED_MESSAGE = 'The password was changed and all sessions were ended. The keys of the account are unchanged.';
