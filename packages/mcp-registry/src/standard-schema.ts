/**
 * The interface of a schema library's object that can validate a value and convert itself to JSON Schema: zod from 4.2
 * on, ArkType, Valibot with its converter and others. Only these members are used, and no library is loaded.
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
      /** JSON Schema of the input. */
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      /** JSON Schema of the output. */
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** The value as the schema has read it, or its issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One issue of a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The output value, with defaults filled in and conversions applied. */
export type StandardOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];
