/** Bounds on one text. A text beyond them is refused unread, so that no input can take memory or time at will. */
export const textLimits = {
  /** UTF-8 bytes of one text. */
  bytes: 5_000_000,
  /** Pieces that a YAML text falls into (names, colons, line ends, …); a text of nothing else would take gigabytes. */
  yamlParts: 2_000_000,
  /** The same for TOML, whose parser takes more memory for each. */
  tomlParts: 500_000,
  /** Characters of one value or key of TOML; the parser cannot read much longer ones. */
  tomlTokenLength: 65_536,
  /** Values that YAML aliases may stand for in one text, all together. */
  aliasedValues: 500_000,
  /** Mappings and lists inside one another. */
  depth: 100,
} as const;
