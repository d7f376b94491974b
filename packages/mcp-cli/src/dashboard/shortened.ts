/** The text, or its beginning and `…`, in at most `max` UTF-16 units. Splits no surrogate pair. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
