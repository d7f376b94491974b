/**
 * What the client manager behind a gateway is to announce to servers: `createClientManager(config, { capabilities:
 * gatewayCapabilities })`. Servers then ask for it, and the gateway's client that a call is made for answers, as far as it
 * can; what it cannot is refused. `ClientCapabilities` of the protocol.
 *
 * Roots are not among them. A server of the revisions before 2026-07-28 has one set of roots for a connection, which all
 * clients share, so that no client is asked for them; later servers are told what each client can do with its requests.
 */
export const gatewayCapabilities = Object.freeze({
  sampling: Object.freeze({ tools: Object.freeze({}), context: Object.freeze({}) }),
  elicitation: Object.freeze({ form: Object.freeze({}), url: Object.freeze({}) }),
});

/**
 * The same for a gateway whose manager serves a single connection of `gateway.serve()`, as over stdio, and no `handler()`:
 * the client's roots are the servers' then, too.
 */
export const singleClientCapabilities = Object.freeze({
  ...gatewayCapabilities,
  roots: Object.freeze({ listChanged: true }),
});
