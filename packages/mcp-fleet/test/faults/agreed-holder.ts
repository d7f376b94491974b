import { HostProcess } from './host-process.js';

/**
 * The host that runs a server, once all `hosts` name the same one of them. Hosts that rejoin at the same moment may name
 * another one before that: the holder from before, until the bus delivers the claim of the next.
 */
export function agreedHolder(hosts: readonly HostProcess[], server: string): Promise<HostProcess> {
  return HostProcess.until(hosts, `one of them that all name as the holder of ${server}`, () => {
    const named = hosts.map((host) => host.all('singleton-state', { server }).at(-1)?.detail.holder);
    return hosts.find(({ name }) => named.every((holder) => holder === name));
  });
}
