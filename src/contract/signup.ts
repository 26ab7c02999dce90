import { Type, type Static } from 'typebox';

export const SignupRequestSchema = Type.Object(
  {
    company_id: Type.Optional(Type.String({ maxLength: 128, description: 'Your name for your company; optional.' })),
    email: Type.String({ description: 'E-mail address; each address can have one account.', examples: ['trader@example.com'] }),
    password: Type.String({
      writeOnly: true,
      description: 'At least 8 alphanumeric characters; other characters are allowed too. At most 1,024 bytes of UTF-8.',
    }),
    confirm_password: Type.String({ writeOnly: true, description: 'The same text as password.' }),
  },
  { additionalProperties: false },
);

export type SignupRequest = Static<typeof SignupRequestSchema>;

export const SignupAnswerSchema = Type.Object(
  {
    message: Type.String(),
    email: Type.String(),
    api_key: Type.String({ description: 'Shown only in this answer. The service stores only a digest and cannot show the key again.' }),
  },
  { additionalProperties: false },
);

export type SignupAnswer = Static<typeof SignupAnswerSchema>;

export const SIGNUP_MESSAGE = 'The API key was generated. It is displayed only once: save it now, it cannot be shown again.';

export const SIGNUP_REQUEST_EXAMPLE: SignupRequest = {
  company_id: 'example-fund',
  email: 'trader@example.com',
  password: 'correct horse 42',
  confirm_password: 'correct horse 42',
};

export const SIGNUP_ANSWER_EXAMPLE: SignupAnswer = {
  message: SIGNUP_MESSAGE,
  email: 'trader@example.com',
  api_key: 'tkm_live_<shown once>',
};
