export interface JsonSchema {
  readonly description?: string;
  readonly type?: string | readonly string[];
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

/** Leaves out null, which every optional field may be. */
function kindOf({ type, anyOf, enum: words, const: only }: JsonSchema): string {
  if (words !== undefined) {
    const written = words.filter((word) => word !== null);
    return written.map((word) => `\`${word}\``).join(', ');
  }
  if (only !== undefined) return `\`${only}\``;
  if (anyOf !== undefined) return [...new Set(anyOf.filter((part) => part.type !== 'null').map(kindOf))].join(' or ');
  const [name = 'any'] = typeof type === 'string' ? [type] : (type ?? []);
  return (
    ({ string: 'text', array: 'list', object: 'mapping', boolean: 'true or false' } as Record<string, string>)[name] ??
    name
  );
}

function boundsOf({ default: value, minimum, maximum }: JsonSchema): string {
  const parts = [
    ...(value === undefined ? [] : [`\`${JSON.stringify(value)}\``]),
    ...(minimum === undefined && maximum === undefined ? [] : [`${minimum ?? ''} to ${maximum ?? ''}`.trim()]),
  ];
  return parts.join(', ');
}
