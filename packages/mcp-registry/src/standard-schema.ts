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
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a value is once the schema has read it, with defaults filled in and conversions made. */
export type StandardOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];
