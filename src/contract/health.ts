import type { Static } from 'typebox';
import { Type } from '../core/schema.ts';

export const LiveAnswerSchema = Type.Object({ status: Type.Literal('live') });

export const ReadyAnswerSchema = Type.Object({
  status: Type.Literal('ready'),
  version: Type.String(),
  commit: Type.String({ description: 'The commit that this build was made of, or unknown.' }),
  model: Type.String({ description: 'Id of the default model version.' }),
  backend: Type.String(),
  device: Type.String({ description: 'Device, versions and SIMD, one line.' }),
  refused: Type.Array(Type.Object({ candidate: Type.String(), reason: Type.String() }), {
    description: 'Why each better backend was refused.',
  }),
});

export type ReadyAnswer = Static<typeof ReadyAnswerSchema>;

export const IndexAnswerSchema = Type.Object({
  name: Type.Literal('tickmark'),
  version: Type.String(),
  next: Type.Array(Type.String({ description: 'What to do next.' })),
});

export type IndexAnswer = Static<typeof IndexAnswerSchema>;
