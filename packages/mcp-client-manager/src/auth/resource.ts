/** The name under which a server's sign-in is kept: its address without what may be a secret in it. */
export function resourceOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
