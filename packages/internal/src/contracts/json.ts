/** A JSON Schema as it came; nothing in it has been checked. */
export type JsonSchema = Readonly<Record<string, unknown>>;
