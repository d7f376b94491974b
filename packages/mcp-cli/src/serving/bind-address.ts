import { BlockList, isIPv4, isIPv6 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Names of the loopback interface in URLs and `Host` headers. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** True if only this machine can connect to the address. A name other than `localhost` may resolve to any address. */
export function isLoopback(host: string): boolean {
  const address = bareAddress(host).toLowerCase();
  if (address === 'localhost') return true;
  if (isIPv4(address)) return loopback.check(address, 'ipv4');
  // Includes IPv4-mapped IPv6 addresses.
  return isIPv6(address) && loopback.check(address, 'ipv6');
}

/** True for the unspecified address, which listens on all interfaces. */
export function isEveryAddress(host: string): boolean {
  const address = bareAddress(host);
  return address === '0.0.0.0' || (isIPv6(address) && /^[0:]+$/.test(address));
}

/** `::1` for `[::1]`. */
export function bareAddress(host: string): string {
  return /^\[(.*)\]$/.exec(host)?.[1] ?? host;
}

/** As in a URL and in a `Host` header. */
export function hostInUrl(host: string): string {
  const address = bareAddress(host);
  return isIPv6(address) ? `[${address}]` : address;
}

/** True if the connection is private: `https:`, or `http:` to this machine. */
export function isSecureUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}
