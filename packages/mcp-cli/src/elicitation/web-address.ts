/** A longer address cannot be read by a person. */
const maxLength = 4_096;

/** The `href` of a URL has only ASCII characters, so that no letter looks like another one. */
export function webAddress(address: unknown): URL | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.href.length <= maxLength ? url : undefined;
}

/** What a user should know before opening a page that a server names. */
export function* warningsAbout({ protocol, hostname, username, password }: URL): Iterable<string> {
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  if (protocol === 'http:' && !isHere) yield 'The connection to this page is not encrypted.';
  if (/(?:^|\.)xn--/.test(hostname)) yield 'The host has letters that are not ASCII, and may imitate another host.';
  if (username !== '' || password !== '') yield `The text before "@" is not the host. The host is ${hostname}.`;
}
