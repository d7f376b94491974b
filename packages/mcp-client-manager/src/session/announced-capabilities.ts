import { isRecord } from '@x/internal/json';
import type { HostHandlers } from './host-handlers.js';

type Capabilities = Readonly<Record<string, unknown>>;

/** What servers are told that their client can do: what there are handlers for, and what else the host says that it answers. */
export function announcedCapabilities(handlers: HostHandlers, given: Capabilities = {}): Capabilities {
  const ours = capabilitiesOf(handlers);
  // By the protocol nothing in it means forms, which what is added must not take away.
  const meansForms = isRecord(given.elicitation) && Object.keys(given.elicitation).length === 0 && ours.elicitation;
  return merged(meansForms ? { ...given, elicitation: { form: {} } } : given, ours);
}

function capabilitiesOf({
  sampling,
  samplingWithTools,
  elicitation,
  urlElicitation,
  roots,
}: HostHandlers): Capabilities {
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
