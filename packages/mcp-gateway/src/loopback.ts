/** The names of this machine's loopback, as the `Host` header and `URL.hostname` have them. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether nobody on the way can read or change what is sent there. */
export function isHttpsOrLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname));
}
