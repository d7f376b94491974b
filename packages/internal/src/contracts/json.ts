/** A JSON Schema as received, unchecked. */
export type JsonSchema = Readonly<Record<string, unknown>>;
