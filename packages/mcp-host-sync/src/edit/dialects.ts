import type { Dialect } from './dialect.js';
import type { HostDialect } from './document-shape.js';
import { jsonDialect } from './json/json-dialect.js';
import { json5Dialect } from './json/json5-dialect.js';
import { tomlDialect } from './toml/toml-dialect.js';
import { yamlDialect } from './yaml/yaml-dialect.js';

const jsonc = jsonDialect({ comments: true, trailingCommas: true });

/** For reading alone: JSON may have comments and trailing commas also where its host reads none. */
export const readers: Readonly<Record<HostDialect, Dialect>> = {
  json: jsonc,
  'json-comments': jsonc,
  jsonc,
  json5: json5Dialect,
  yaml: yamlDialect,
  toml: tomlDialect,
};

/** For editing: strictly what the host reads. */
export const writers: Readonly<Record<HostDialect, Dialect>> = {
  ...readers,
  json: jsonDialect({ comments: false, trailingCommas: false }),
  'json-comments': jsonDialect({ comments: true, trailingCommas: false }),
};
