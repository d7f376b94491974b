/** Placeholders, quotes, addresses, paths and identifiers. Matching takes linear time. */
const LITERAL = new RegExp(
  [
    /<[^<>\n]{1,80}>/,
    /"[^"\n]{1,200}"/,
    /(?<!\w)'[^'\s][^'\n]{0,80}'(?!\w)/,
    /`[^`\n]{1,200}`/,
    /\bhttps?:\/\/[^\s<>"]{1,300}/,
    /(?<![\w/])\/[\w.-]{1,100}\/[\w./-]{1,200}/,
    /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

export function literalsOf(text: string): readonly string[] {
  return text.match(LITERAL) ?? [];
}

export function withoutLiterals(text: string): string {
  return text.replace(LITERAL, ' ');
}
