import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { createConformanceServer, createShared } from './server.js';
import { Sessions } from './sessions.js';

/** Serves both eras at one URL: sessions for the 2025 revisions, one server per request for 2026-07-28. */
export function createConformanceHandler(): { fetch: (request: Request) => Promise<Response> } {
  const shared = createShared();
  const sessions = new Sessions(() => createConformanceServer(shared, { serves: 'legacy-connection' }));
  const modern = createMcpHandler(() => createConformanceServer(shared, { serves: 'request' }), {
    legacy: 'reject',
  });
  shared.changes.listen((change) => {
    if ('uri' in change) modern.notify.resourceUpdated(change.uri);
    else if (change.list === 'tools') modern.notify.toolsChanged();
    else modern.notify.promptsChanged();
  });

  return {
    fetch: async (request) => {
      const refused =
        hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
        originValidationResponse(request, localhostAllowedOrigins());
      if (refused) return refused;
      if (new URL(request.url).pathname !== '/mcp') return new Response(null, { status: 404 });
      return (await isLegacyRequest(request)) ? sessions.fetch(request) : modern.fetch(request);
    },
  };
}
