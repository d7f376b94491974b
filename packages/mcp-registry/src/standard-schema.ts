/**
 * What a schema library's object has if it can check a value and say its JSON Schema: zod from 4.2 on, ArkType, Valibot
 * with its converter and others. Only these parts are used, and no library is loaded.
 *
 * @see https://standardschema.dev/json-schema
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Reads a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: {
      /** The JSON Schema of what may be given. */
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      /** The JSON Schema of what comes out. */
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** The value as the schema has read it, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a value is once the schema has read it, with defaults filled in and conversions made. */
export type StandardOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];
