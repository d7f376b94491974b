import { isRecord } from '@x/internal/json';
import type { ClientHandlers } from './client-handlers.js';

type Capabilities = Readonly<Record<string, unknown>>;

/** One capability for each client handler, merged with those that the app adds. */
export function announcedCapabilities(handlers: ClientHandlers, given: Capabilities = {}): Capabilities {
  const ours = capabilitiesOf(handlers);
  // An empty `elicitation` object means forms. Merging `url` into it must keep them.
  const meansForms = isRecord(given.elicitation) && Object.keys(given.elicitation).length === 0 && ours.elicitation;
  return merged(meansForms ? { ...given, elicitation: { form: {} } } : given, ours);
}

function capabilitiesOf({
  sampling,
  samplingWithTools,
  elicitation,
  urlElicitation,
  roots,
}: ClientHandlers): Capabilities {
  return {
    ...((sampling ?? samplingWithTools) && { sampling: samplingWithTools ? { tools: {} } : {} }),
    ...((elicitation ?? urlElicitation) && {
      elicitation: { ...(elicitation && { form: {} }), ...(urlElicitation && { url: {} }) },
    }),
    ...(roots && { roots: { listChanged: true } }),
  };
}

function merged(given: Capabilities, ours: Capabilities): Capabilities {
  const both = { ...given };
  for (const [key, value] of Object.entries(ours)) {
    const other = Object.hasOwn(given, key) ? given[key] : undefined;
    both[key] = isRecord(value) && isRecord(other) ? merged(other, value) : value;
  }
  return both;
}
