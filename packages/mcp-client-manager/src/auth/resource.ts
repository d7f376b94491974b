/** Storage key of a sign-in: the URL without its query, which may contain secrets. */
export function resourceOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
