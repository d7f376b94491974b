/**
 * What the client manager behind a gateway is to announce to servers: `createClientManager(config, { capabilities:
 * gatewayCapabilities })`. Servers then ask for it, and the gateway's client that a call is made for answers, as far as it
 * can; what it cannot is refused. `ClientCapabilities` of the protocol.
 */
export const gatewayCapabilities = Object.freeze({
  sampling: Object.freeze({ tools: Object.freeze({}), context: Object.freeze({}) }),
  elicitation: Object.freeze({ form: Object.freeze({}), url: Object.freeze({}) }),
  roots: Object.freeze({ listChanged: true }),
});
