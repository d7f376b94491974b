import type { ClientManager } from '../../../src/manager.js';
import type { ClientManagerOptions } from '../../../src/options.js';
import type { ServerSpec, StdioServerSpec } from '../../../src/spec.js';
import type { FakeServer } from '../../../src/testing.js';
import { managerWith } from '../../helpers/servers.js';

export type Carrier = 'stdio' | 'in-process' | 'http';

export const carriers = ['stdio', 'in-process', 'http'] as const satisfies readonly Carrier[];

export const everyWay = carriers.flatMap((carrier) => [
  { carrier, era: 'legacy' as const },
  { carrier, era: 'modern' as const },
]);

type Extras = { readonly options?: ClientManagerOptions } & Partial<
  Pick<StdioServerSpec, 'limits' | 'restart' | 'health'>
>;

/** A manager with the fake as its one server, `fake`. */
export async function managerOfFake(
  fake: FakeServer,
  carrier: Carrier,
  { options = {}, ...extras }: Extras = {},
): Promise<ClientManager> {
  const carried = { stdio: () => fake.stdio(), 'in-process': () => fake.inProcess(), http: () => fake.http() }[carrier];
  const spec = {
    name: 'fake',
    ...extras,
    limits: { shutdownTimeoutMs: 1_000, ...extras.limits },
    ...(await carried()),
  } as ServerSpec;
  return managerWith(options, spec);
}
