/**
 * Capabilities that the client manager behind a gateway declares to servers: `createClientManager(config, {
 * capabilities: gatewayCapabilities })`. Servers then send these requests, and the client of the call responds, as far
 * as it can; others are refused. `ClientCapabilities` of the protocol.
 *
 * Roots are not among them. A server of the revisions before 2026-07-28 has one set of roots for a connection, which
 * all clients share, so no client is asked for them; later servers get each client's capabilities with its requests.
 */
export const gatewayCapabilities = Object.freeze({
  sampling: Object.freeze({ tools: Object.freeze({}), context: Object.freeze({}) }),
  elicitation: Object.freeze({ form: Object.freeze({}), url: Object.freeze({}) }),
});

/**
 * The same for a gateway whose manager serves a single connection of `gateway.serve()`, as over stdio, and no
 * `handler()`: the client's roots are then the servers' roots.
 */
export const singleClientCapabilities = Object.freeze({
  ...gatewayCapabilities,
  roots: Object.freeze({ listChanged: true }),
});
