/** So many characters, of which no part is like another: what is lost, doubled or swapped shows. */
export function longText(length: number): string {
  const lines: string[] = [];
  for (let written = 0; written < length; written += 16) lines.push(`${String(written).padStart(15, '0')}\n`);
  return lines.join('').slice(0, length);
}
