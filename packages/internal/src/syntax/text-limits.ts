/** Bounds of one text. A text beyond them is refused before parsing, so that no input can exhaust memory or time. */
export const textLimits = {
  /** UTF-8 bytes of one text. */
  bytes: 5_000_000,
  /** Tokens of a YAML text (names, colons, line ends, …); unbounded ones would take gigabytes. */
  yamlParts: 2_000_000,
  /** The same for TOML, whose parser takes more memory for each. */
  tomlParts: 500_000,
  /** Characters of one value or key of TOML; the parser cannot read much longer ones. */
  tomlTokenLength: 65_536,
  /** Total number of values that YAML aliases in one text may expand to. */
  aliasedValues: 500_000,
  /** Nested mappings and lists. */
  depth: 100,
} as const;
