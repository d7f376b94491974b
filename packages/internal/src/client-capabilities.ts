/**
 * Capabilities to declare to servers: `createClientManager(config, { capabilities: gatewayCapabilities })`. The gateway
 * forwards server requests to the client of the call, or refuses them if that client lacks the capability.
 *
 * Without roots: a server before revision 2026-07-28 has one set of them for all clients. Later servers get each
 * client's capabilities with its requests.
 */
export const gatewayCapabilities = Object.freeze({
  sampling: Object.freeze({ tools: Object.freeze({}), context: Object.freeze({}) }),
  elicitation: Object.freeze({ form: Object.freeze({}), url: Object.freeze({}) }),
  /** Hosts without apps get the same tools, and do not open their pages. */
  extensions: Object.freeze({
    'io.modelcontextprotocol/ui': Object.freeze({ mimeTypes: Object.freeze(['text/html;profile=mcp-app']) }),
  }),
});

/** The same with roots, for a gateway that serves a single connection of `gateway.serve()`, and no `handler()`. */
export const singleClientCapabilities = Object.freeze({
  ...gatewayCapabilities,
  roots: Object.freeze({ listChanged: true }),
});
