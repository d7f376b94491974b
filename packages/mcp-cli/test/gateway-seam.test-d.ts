import type { ClientManager, ManagedServer } from '@x/mcp-client-manager';
import type { GatewayUpstream, GatewayUpstreams } from '@x/mcp-gateway';
import { expectTypeOf, test } from 'vitest';

test('a client manager fits as the upstreams of a gateway', () => {
  expectTypeOf<ClientManager>().toExtend<GatewayUpstreams>();
  expectTypeOf<ManagedServer>().toExtend<GatewayUpstream>();
});
