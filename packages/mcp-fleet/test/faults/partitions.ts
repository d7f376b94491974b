import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { NatsServer } from '@x/test-servers';
import { onTestFinished } from 'vitest';
import { openRelay } from './held-relay.js';

/** Link of one node to the server, which can be cut without closing it. */
export interface Tie {
  /** Where the node finds the server. */
  readonly url: string;
  /** The network namespace that the node is to run in. */
  readonly namespace: string | undefined;
  part(): Promise<void>;
  heal(): Promise<void>;
}

export interface KindOfPartition {
  readonly name: string;
  tie(server: NatsServer): Promise<Tie>;
}

const run = promisify(execFile);
let ties = 0;

/** All kinds that this machine allows: network namespaces need Linux, `ip` and the right to make them. */
export async function kindsOfPartition(): Promise<readonly KindOfPartition[]> {
  const held: KindOfPartition = {
    name: 'a relay that lets nothing through',
    async tie({ port }) {
      const relay = await openRelay(port);
      return {
        url: relay.url,
        namespace: undefined,
        part: async () => relay.hold(),
        heal: async () => relay.release(),
      };
    },
  };
  const lost: KindOfPartition = { name: 'a network of its own whose link is down', tie: tieByNamespace };
  return (await mayMakeNamespaces()) ? [held, lost] : [held];
}

/** A namespace with one link, and at this end of it a relay to the server, which listens on the loopback alone. */
async function tieByNamespace(server: NatsServer): Promise<Tie> {
  ties += 1;
  const id = `${process.pid}-${ties}`;
  const namespace = `mcp-fleet-${id}`;
  const [here, there] = [`mf${id}`, `mg${id}`];
  const network = `10.${200 + (process.pid % 50)}.${ties % 250}`;
  await addNamespace(namespace);
  onTestFinished(() => removeNamespace(namespace));
  await ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', namespace);
  await ip('address', 'add', `${network}.1/30`, 'dev', here);
  await ip('link', 'set', here, 'up');
  await ip('-netns', namespace, 'address', 'add', `${network}.2/30`, 'dev', there);
  await ip('-netns', namespace, 'link', 'set', there, 'up');
  const { url } = await openRelay(server.port, `${network}.1`);
  return {
    url,
    namespace,
    part: () => ip('link', 'set', here, 'down'),
    heal: () => ip('link', 'set', here, 'up'),
  };
}

async function mayMakeNamespaces(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const namespace = `mcp-fleet-${process.pid}-0`;
  const link = `mf${process.pid}-0`;
  try {
    await addNamespace(namespace);
  } catch {
    return false; // no `ip`, or no right to do so
  }
  try {
    await ip('link', 'add', link, 'type', 'veth', 'peer', 'name', `mg${process.pid}-0`, 'netns', namespace);
    await ip('netns', 'exec', namespace, 'true');
    return true;
  } catch {
    return false; // such as a container that has no network to add to
  } finally {
    await removeNamespace(namespace);
  }
}

const addNamespace = (name: string) => ip('netns', 'add', name);
// Its link goes with it.
const removeNamespace = (name: string) => ip('netns', 'delete', name);

async function ip(...args: readonly string[]): Promise<void> {
  await run('ip', args);
}
