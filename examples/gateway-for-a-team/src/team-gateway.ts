import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Tools } from '@x/mcp';
import { createGateway, createHttpServer } from '@x/mcp-gateway';
import { createTokenVerifier, type StaticToken } from '@x/mcp-gateway/identity';

export interface TeamGateway extends AsyncDisposable {
  readonly url: URL;
}

interface Team {
  readonly tools: Tools;
  /** The callers, each with a token and a role. */
  readonly members: readonly StaticToken[];
}

/** One endpoint for the whole team: who asks is told by the token, and what they may use by their role. */
export async function openGateway({ tools, members }: Team): Promise<TeamGateway> {
  // #region gateway
  const gateway = createGateway({
    registry: tools.registry,
    upstreams: tools.manager,
    rateLimits: { perPrincipal: { requests: 600, perMs: 60_000 } },
    onProblem: ({ message }) => console.error(message),
  });
  const verifyToken = createTokenVerifier(members, { roles: 'required' });
  const handler = gateway.handler({ verifyToken }, ({ id, role }) => ({ principal: id, role }));
  const server = createHttpServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // #endregion gateway

  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
