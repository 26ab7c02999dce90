/** A JSON Schema as used in the OpenAPI document. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly description?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
};

export type Media = {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
};

export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly headers: Readonly<Record<string, { readonly description: string }>>;
        readonly content?: Readonly<Record<string, Media>>;
      }
    >
  >;
};

/** The parts of an OpenAPI 3.1 document that the page needs. */
export type ApiDocument = {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The parts of an AsyncAPI 3.0 document that the page needs. */
export type LiveDocument = {
  readonly info: { readonly description: string };
  readonly channels: {
    readonly live: {
      readonly address: string;
      readonly description: string;
      readonly messages: Readonly<
        Record<string, { readonly name: string; readonly payload: Schema; readonly examples?: readonly { readonly payload: unknown }[] }>
      >;
    };
  };
  readonly operations: Readonly<Record<'receive' | 'send', { readonly messages: readonly { readonly $ref: string }[] }>>;
};

/** One environment variable, without its value. */
export type SettingWords = { readonly name: string; readonly default: string; readonly values: string; readonly about: string };
