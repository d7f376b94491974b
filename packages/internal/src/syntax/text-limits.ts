/** Bounds of one text. Texts beyond them are refused before parsing. */
export const textLimits = {
  /** In UTF-8. */
  bytes: 5_000_000,
  /** Tokens of a YAML text. */
  yamlParts: 2_000_000,
  /** Tokens of a TOML text, whose parser takes more memory. */
  tomlParts: 500_000,
  /** Characters of one TOML value or key. */
  tomlTokenLength: 65_536,
  /** Values that the YAML aliases of a text may expand to. */
  aliasedValues: 500_000,
  /** Nested mappings and lists. */
  depth: 100,
} as const;
