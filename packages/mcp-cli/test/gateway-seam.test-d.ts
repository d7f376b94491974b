import type { ClientManager, ManagedServer } from '@x/mcp-client-manager';
import type { GatewayUpstream, GatewayUpstreams } from '@x/mcp-gateway';
import { expectTypeOf, test } from 'vitest';

test('a client manager is what a gateway stands in front of, as it stands', () => {
  expectTypeOf<ClientManager>().toExtend<GatewayUpstreams>();
  expectTypeOf<ManagedServer>().toExtend<GatewayUpstream>();
});
