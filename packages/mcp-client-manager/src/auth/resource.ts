/** Storage key of a server's sign-in: its URL without the query, which may contain secrets. */
export function resourceOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
