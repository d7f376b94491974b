import { freePorts } from './loopback.js';
import { type NatsServer, startNatsServer } from './nats-server.js';

/** One nats-server of a cluster. */
export interface NatsMember extends NatsServer {
  readonly name: string;
}

/** Three real nats-servers with a common JetStream. */
export interface NatsCluster extends AsyncDisposable {
  /** `n1`, `n2` and `n3`. */
  readonly members: readonly NatsMember[];
  readonly urls: readonly string[];
  stop(): Promise<void>;
}

const NAMES = ['n1', 'n2', 'n3'];
const MAX_ATTEMPTS = 3;

/**
 * Resolves when the two others follow the leader.
 *
 * @param options.config - Further configuration lines of each server.
 */
export async function startNatsCluster(options: { readonly config?: string } = {}): Promise<NatsCluster> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnFreePorts(options);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error; // another process may have taken a port in the meantime
    }
  }
}

async function startOnFreePorts({ config = '' }: { readonly config?: string }): Promise<NatsCluster> {
  // Each server needs the ports of the others at its start.
  const ports = await freePorts(2 * NAMES.length);
  const [routePorts, monitorPorts] = [ports.slice(0, NAMES.length), ports.slice(NAMES.length)];
  const routes = routePorts.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  const configOf = (index: number) =>
    [
      `server_name: ${NAMES[index]}`,
      `cluster { name: fleet, listen: "127.0.0.1:${routePorts[index]}", routes: [${routes}] }`,
      `http: "127.0.0.1:${monitorPorts[index]}"`,
      config,
    ].join('\n');
  const started = await Promise.allSettled(
    NAMES.map(async (name, index) => ({ ...(await startNatsServer({ config: configOf(index) })), name })),
  );
  const members = started.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const stop = async () => void (await Promise.all(members.map((member) => member.stop())));
  try {
    const failure = started.find((outcome) => outcome.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    while (!(await Promise.all(monitorPorts.map(leadsAll))).includes(true));
  } catch (error) {
    await stop();
    throw error;
  }
  return { members, urls: members.map(({ url }) => url), stop, [Symbol.asyncDispose]: stop };
}

/** Only the leader reports the progress of the others. */
async function leadsAll(monitorPort: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${monitorPort}/jsz`);
  const { meta_cluster: meta } = (await response.json()) as {
    readonly meta_cluster?: { readonly replicas?: readonly { readonly current: boolean }[] };
  };
  const followers = meta?.replicas?.filter(({ current }) => current) ?? [];
  return followers.length === NAMES.length - 1;
}
