import { BlockList, isIPv4, isIPv6 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** What the loopback is called in URLs and in `Host` headers. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether only programs of this machine reach what listens there. A name but `localhost` may stand for anything. */
export function isLoopback(host: string): boolean {
  const address = bareAddress(host).toLowerCase();
  if (address === 'localhost') return true;
  if (isIPv4(address)) return loopback.check(address, 'ipv4');
  // An IPv4 address that is written as IPv6 is checked as what it stands for.
  return isIPv6(address) && loopback.check(address, 'ipv6');
}

/** Whether it stands for every address of the machine, so that it is none that a client could ask for. */
export function isEveryAddress(host: string): boolean {
  const address = bareAddress(host);
  return address === '0.0.0.0' || (isIPv6(address) && /^[0:]+$/.test(address));
}

/** `::1` for `[::1]`, as it stands in a URL. */
export function bareAddress(host: string): string {
  return /^\[(.*)\]$/.exec(host)?.[1] ?? host;
}

/** As it stands in a URL and in a `Host` header. */
export function hostInUrl(host: string): string {
  const address = bareAddress(host);
  return isIPv6(address) ? `[${address}]` : address;
}

/** Whether what goes there can be read on the way by nobody: `https:`, or `http:` to this machine. */
export function isSecureUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}
