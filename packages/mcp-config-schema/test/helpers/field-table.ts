export interface JsonSchema {
  readonly description?: string;
  readonly type?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema;
}

/** Fields of an object of a JSON Schema, as the table in the documentation. */
export function fieldTable(properties: Readonly<Record<string, JsonSchema>>): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const cells = [`\`${name}\``, kindOf(schema), boundsOf(schema), schema.description ?? ''];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| Field | Type | Default and bounds | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function kindOf({ type, anyOf, enum: words, const: only }: JsonSchema): string {
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ');
  if (only !== undefined) return `\`${only}\``;
  if (anyOf !== undefined) return [...new Set(anyOf.map(kindOf))].join(' or ');
  return (
    ({ string: 'text', array: 'list', object: 'mapping', boolean: 'true or false' } as const)[type ?? ''] ??
    type ??
    'any'
  );
}

function boundsOf({ default: value, minimum, maximum }: JsonSchema): string {
  const parts = [
    ...(value === undefined ? [] : [`\`${JSON.stringify(value)}\``]),
    ...(minimum === undefined && maximum === undefined ? [] : [`${minimum ?? ''} to ${maximum ?? ''}`.trim()]),
  ];
  return parts.join(', ');
}
