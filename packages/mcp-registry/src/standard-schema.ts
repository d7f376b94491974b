/**
 * A schema library's object that validates values and converts itself to JSON Schema: zod from 4.2 on, ArkType, Valibot
 * with its converter and others.
 *
 * @see https://standardschema.dev/json-schema
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Checks a value and returns it with defaults and conversions, or its issues. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: {
      /** JSON Schema of the values that `validate` accepts. */
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      /** JSON Schema of the values that `validate` returns. */
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** The part of a schema that reads arguments. */
export interface ArgumentReader {
  readonly '~standard': Pick<StandardSchema['~standard'], 'validate'>;
}

/** The validated value, or its issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One issue of a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The output value, with defaults and conversions. */
export type StandardOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];
