/** Keywords of JSON Schema that hold schemas under names of the author's choice, in which no name is a keyword. */
export const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);

/** Keywords that hold values, in which nothing is a keyword. */
export const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
