import { CLIENT_CAPABILITIES_META_KEY, type ClientCapabilities } from '@modelcontextprotocol/server';

/** Client capabilities in a request of revision 2026-07-28, as checked by the SDK. */
export function capabilitiesOf(envelope: Readonly<Record<string, unknown>> = {}): ClientCapabilities | undefined {
  return envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}
